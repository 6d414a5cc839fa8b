import { Inject } from '@nestjs/common';
import { maskedUrl, SETTINGS, VERSION } from '@sluice/config';
import { effectiveSettingsSchema, OPERATOR_ID, type EffectiveSettings } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import type { GatewaySettings } from '../config/gateway.settings';
import { DevicePlane } from '../http/device-plane';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';

export const SETTINGS_TAG = [
  'Settings',
  'The settings of the installation. To change them, change its environment.',
] as const;

/** The settings with which this gateway was started. */
@Routes(...SETTINGS_TAG)
export class SettingsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly devices: DevicePlane,
  ) {}

  @DashboardRoute('GET', 'settings', {
    summary: 'Get limits, sizes, retention and version; for the operator also the engines',
    answers: { 200: one(effectiveSettingsSchema, 'The settings in force.') },
  })
  async getSettings({ owner: { id } }: Pick<RequestContext, 'owner'>): Promise<EffectiveSettings> {
    const { settings } = this;
    const installation = {
      event_store: maskedUrl(settings.eventStoreUrl),
      event_store_prefix: settings.eventStorePrefix,
      read_store: maskedUrl(settings.readStoreUrl),
      state_store: maskedUrl(settings.stateStoreUrl),
      object_store: maskedUrl(settings.objectStoreUrl),
      bus: maskedUrl(settings.busUrl),
      trusted_proxies: [...settings.trustedProxies],
    };
    return {
      version: VERSION,
      environment: settings.nodeEnv,
      public_url: this.publicUrl(),
      device_url: (await this.devices.presented()).url ?? null,
      plugin: { name: settings.pluginName, namespace: settings.pluginNamespace },
      limits: {
        requests_per_minute: settings.limitRequestsPerMinute,
        uploads_per_hour: settings.limitUploadsPerHour,
        key_actions_per_hour: settings.limitKeyActionsPerHour,
        device_per_minute: settings.limitDevicePerMinute,
        address_per_minute: settings.limitAddressPerMinute,
        downloads_per_address: settings.limitDownloadsPerAddress,
        apps: settings.appLimit,
        tokens: settings.tokenLimit,
        owner_requests_per_minute: settings.limitOwnerRequestsPerMinute,
        changes_per_hour: settings.limitChangesPerHour,
        reports_per_app_per_day: settings.reportsPerAppPerDay,
        reports_per_owner_per_day: settings.reportsPerOwnerPerDay,
        storage_bytes: settings.storagePerOwnerBytes,
      },
      sizes: { bundle_bytes: settings.maxBundleBytes, keystore_bytes: settings.maxKeystoreBytes },
      api_keys: { recovery: settings.apiKeyRecovery },
      sessions: { idle_seconds: settings.sessionIdleSeconds, max_seconds: settings.sessionMaxSeconds },
      jobs: {
        retry_delays_ms: [...settings.jobRetryDelaysMs],
        content_retry_delays_ms: [...settings.jobContentRetryDelaysMs],
      },
      downloads: { mode: settings.downloadMode },
      retention: {
        object_grace_seconds: settings.objectGraceSeconds,
        download_url_ttl_seconds: settings.downloadUrlTtlSeconds,
        builds_per_channel: settings.buildsKeptPerChannel,
        build_grace_seconds: settings.buildRetentionGraceSeconds,
      },
      installation: id === OPERATOR_ID ? installation : null,
    };
  }
}

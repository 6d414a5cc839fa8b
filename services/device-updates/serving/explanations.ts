import { Injectable } from '@nestjs/common';
import { buildStateOf, type Explanation, explainUpdate, type RequestOf } from '@sluice/contracts';
import { channelName, DomainError, parseVersion, UnavailableError, ValidationError } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import { DeviceHashes } from '../devices/device-hashes';
import { channelOfDevice } from './channel-of-device';
import { attributeValue } from './domain/attribute-value';
import { explainChoice } from './domain/explain-choice';
import { ServingIndex } from './serving-index';

/** Each takes about 300 bytes of the answer. */
const MAX_BUILDS = 200;

/** Explains from what update checks of this process are answered from. */
@Injectable()
export class Explanations {
  constructor(
    private readonly index: ServingIndex,
    private readonly hashes: DeviceHashes,
  ) {}

  @HandlesQuery(explainUpdate)
  explain(request: RequestOf<typeof explainUpdate>): Explanation {
    const { appId, deviceId, platform, version, appVersion, fingerprint, attributes = {} } = request;
    if (!this.index.ready) throw new UnavailableError('The device API is starting. Try again shortly.');
    const app = this.index.app(appId);
    if (app === undefined) throw new DomainError('APP_NOT_FOUND', 'There is no such app.');
    const currentVersion = parseVersion(version);
    if (currentVersion === undefined) {
      throw new ValidationError({ version: ['The version must be one like 1.2.3.'] });
    }
    const embeddedVersion = request.embeddedVersion === undefined ? undefined : parseVersion(request.embeddedVersion);
    if (embeddedVersion === undefined && request.embeddedVersion !== undefined) {
      throw new ValidationError({ embedded_version: ['The embedded_version must be one like 1.2.3.'] });
    }
    const nativeVersion = appVersion === undefined ? undefined : parseVersion(appVersion);
    const hashes = () => this.hashes.known(appId, deviceId);
    const requested = request.unnamed === true ? undefined : channelName(request.channel);
    const { named, chosen, from } = channelOfDevice(this.index, app, {
      ...{ keyChannels: undefined, requested, platform, hashes },
    });
    const channel = chosen ?? named?.channel ?? request.channel;
    const builds = this.index.builds.ofApp(appId).filter(({ facts }) => facts.channel === channel);
    const sent = new Map(Object.entries(attributes));
    const attribute = (name: string) => attributeValue(app.attributes, name, sent.get(name));
    const native = { platform, nativeVersion, fingerprint, embeddedVersion };
    const device = { deviceId, hashes, attribute, currentVersion, ...native };
    const { recalls } = this.index.builds;
    const target = recalls.targetOf(appId, channel, device);
    const { selected, newer, mandatoryBecauseOf, rollBackToEmbedded, nativeUpdate } = explainChoice(
      builds,
      {
        replacementOf: this.index.builds.replacementsOf(appId, channel),
        audience: this.index.builds.audienceOf(appId, channel),
      },
      app.platform,
      device,
    );
    return {
      ...{
        channel: channelName(channel),
        channel_from: from ?? 'requested',
        platform,
        app_platform: app.platform,
        version: currentVersion.version,
      },
      app_version: nativeVersion?.version ?? null,
      fingerprint: fingerprint ?? null,
      embedded_version: embeddedVersion?.version ?? null,
      native_update_required: nativeUpdate === undefined ? null : { minimum: nativeUpdate },
      offered:
        selected === undefined
          ? null
          : {
              ...{ build_id: selected.build.buildId, version: selected.build.facts.version },
              mandatory: selected.mandatory,
              mandatory_because_of: mandatoryBecauseOf.map(({ buildId }) => buildId),
            },
      recalled: target === undefined ? null : { target, roll_back_to_embedded: rollBackToEmbedded },
      newer: newer.slice(0, MAX_BUILDS).map(({ build: { facts }, bucket, isPinned, whyNot, unmet }) => {
        const rollout = { rollout_percentage: facts.rolloutPercentage, rollout_enabled: facts.rolloutEnabled };
        return {
          build_id: facts.buildId,
          version: facts.version,
          status: facts.status,
          state: buildStateOf({ status: facts.status, ...rollout }),
          mandatory: facts.mandatory,
          min_native_version: facts.minNativeVersion,
          native_range: facts.nativeRange ?? null,
          fingerprint: facts.fingerprint ?? null,
          platform: facts.platform ?? 'all',
          ...rollout,
          ring: facts.ring ?? 'per_build',
          bucket,
          pinned: isPinned,
          offered: facts.buildId === selected?.build.buildId,
          why_not: [...whyNot],
          audience_unmet: unmet.map((fault) => {
            const { of } = fault;
            if ('pinnedOnly' in fault) return { of, pinned_only: fault.pinnedOnly };
            if ('groups' in fault) return { of, groups: [...fault.groups] };
            const value = attribute(fault.name)?.toString() ?? null;
            return { of, attribute: fault.name, rule: fault.rule, value };
          }),
        };
      }),
    };
  }
}

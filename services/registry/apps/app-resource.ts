import { channelSchema, type App } from '@sluice/contracts';
import { DEFAULT_APP_POLICY, type AppPolicy } from './domain/app';
import type { RegisteredApp } from './domain/apps';

/** The App of the API. */
export function appResource(app: RegisteredApp & Partial<AppPolicy>): App {
  const { signingKeyRotation, uniqueSignatures, keepBuilds } = { ...DEFAULT_APP_POLICY, ...app };
  return {
    id: app.id,
    app_id: app.appId,
    bundle_id: app.bundleId,
    name: app.name,
    description: app.description,
    platform: app.platform,
    platforms: app.platform === 'both' ? ['ios', 'android'] : [app.platform],
    channels: [...channelSchema.options],
    signing_key_rotation: signingKeyRotation,
    unique_signatures: uniqueSignatures,
    keep_builds: keepBuilds,
    created_at: app.createdAt,
  };
}

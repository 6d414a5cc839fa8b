import { channelSchema, type App } from '@sluice/contracts';
import type { AppRegistration } from '../domain/apps';

/** The App of the API (spec 1). `createdAt` is ISO 8601. */
export function appResource(app: AppRegistration, createdAt: string): App {
  return {
    id: app.id,
    app_id: app.appId,
    bundle_id: app.bundleId,
    name: app.name,
    description: app.description,
    platform: app.platform,
    platforms: app.platform === 'both' ? ['ios', 'android'] : [app.platform],
    channels: [...channelSchema.options],
    created_at: createdAt,
  };
}

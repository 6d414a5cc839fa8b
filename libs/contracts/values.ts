import { z } from 'zod';

export const channelSchema = z.enum(['production', 'staging', 'development']);
export type Channel = z.infer<typeof channelSchema>;

export const platformSchema = z.enum(['ios', 'android', 'both']);
export type Platform = z.infer<typeof platformSchema>;

/** What a build is for: `all` is every device, also one that is neither. */
export const buildPlatformSchema = z.enum(['ios', 'android', 'all']);
export type BuildPlatform = z.infer<typeof buildPlatformSchema>;

export const buildStatusSchema = z.enum(['uploading', 'processing', 'active', 'archived', 'failed', 'paused']);
export type BuildStatus = z.infer<typeof buildStatusSchema>;

export const jobStatusSchema = z.enum(['pending', 'processing', 'completed', 'failed']);

/** Every valid token has `manage`; the others are granted one by one. */
export const permissionSchema = z.enum(['manage', 'builds.delete', 'apps.delete', 'keys.delete', 'manage_store']);
export type Permission = z.infer<typeof permissionSchema>;

export const idSchema = z.int().positive();
/**
 * Which devices a rollout percentage selects: for each build other ones, or for all builds of the app with a stable ring
 * the same ones first.
 */
export const ringSchema = z.enum(['per_build', 'stable']);
export type Ring = z.infer<typeof ringSchema>;

export const timeSchema = z.iso.datetime({ offset: true });
export const ulidSchema = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);

/** Where devices of a recalled build go: to another build, to the bundle inside their native app, or nowhere. */
export const recallTargetSchema = z.union(
  [idSchema, z.enum(['embedded', 'none'])],
  'This must be the id of a build, for example 42, or the text "embedded" or "none".',
);
export type RecallTarget = z.infer<typeof recallTargetSchema>;

import { CHANNEL_NAME, CHANNEL_NAME_RULE, type Channel, STANDARD_CHANNELS } from '@sluice/kernel/channels';
import { z } from 'zod';

export type { Channel };

export const standardChannelSchema = z.enum(STANDARD_CHANNELS);

/** A channel as clients name it, and as they are shown it. */
export const channelNameSchema = z.string(CHANNEL_NAME_RULE).regex(CHANNEL_NAME, CHANNEL_NAME_RULE);

/** A channel as services name it to each other: see Channel. */
export const channelSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}(?:\.[1-9]\d*)?$/);

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

/** `subject`: such as `build`. */
export const revisionOf = (subject: string) =>
  z
    .int()
    .min(1)
    .meta({ description: `Rises with every change of this ${subject}. If-Match takes it, as in the ETag.` });

/** The revision that the caller expects what it changes to have; left out: any. */
export const ifRevisionSchema = z.int().min(1).optional();

export const timeSchema = z.iso.datetime({ offset: true });
export const ulidSchema = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);

/** Where devices of a recalled build go: to another build, to the bundle inside their native app, or nowhere. */
export const recallTargetSchema = z.union(
  [idSchema, z.enum(['embedded', 'none'])],
  'This must be the id of a build, for example 42, or the text "embedded" or "none".',
);
export type RecallTarget = z.infer<typeof recallTargetSchema>;

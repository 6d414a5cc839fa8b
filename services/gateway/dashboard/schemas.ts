import { characters, DATA_KEY_NAMES, permissionSchema, setListingsModule, timeSchema } from '@sluice/contracts';
import { NOT_BLANK } from '@sluice/kernel';
import { z } from 'zod';
import { name, unchangeable } from '../management/schemas';

/** Accepts any text: the handler rejects what is not an owner key. */
export const loginBody = z.object({
  owner_key: z
    .string('An owner_key is required.')
    .check(characters(0, 1_000, 'The owner_key must have at most 1000 characters.')),
});

/** Of the list of apps. */
export const removedQuery = z.object({
  removed: z.enum(['true', 'false', 'all'], 'The removed must be true, false or all.').default('false'),
});

export const createOwnerBody = z.object({ name });

/** `revoke_tokens`: for a leaked key, with which tokens may have been created. */
export const rotateOwnerKeyBody = z.object({
  revoke_tokens: z.boolean('The revoke_tokens must be true or false.').default(false),
});

export const suspendOwnerBody = z.object({
  reason: z
    .string('A reason is required.')
    .check(characters(0, 500, 'The reason must have at most 500 characters.'))
    .regex(NOT_BLANK, 'A reason is required.')
    .trim(),
  stop_devices: z.boolean('The stop_devices must be true or false.').default(false),
});

/** `end_sessions`: of every owner, the caller's too. */
export const rotateDataKeysBody = z.object({
  names: z
    .array(
      z.enum(DATA_KEY_NAMES, `Each name must be one of ${DATA_KEY_NAMES.join(', ')}.`),
      'The names must be a list of data keys.',
    )
    .min(1, 'The names must contain at least one data key. Omit names to rotate all.')
    .max(100, 'The names must have at most 100 entries.')
    .optional(),
  end_sessions: z.boolean('The end_sessions must be true or false.').default(false),
});

const permissions = z
  .array(
    z.enum(permissionSchema.options, `Each permission must be one of ${permissionSchema.options.join(', ')}.`),
    'The permissions must be a list.',
  )
  .max(100, 'The permissions must have at most 100 entries.');
const allApps = z.boolean('The all_apps must be true or false.');
const apps = z
  .array(z.union([z.int().positive(), z.string().min(1)]), 'The apps must be a list of ids.')
  .max(1000, 'The apps must have at most 1000 entries.')
  .describe('IDs or app_ids of the owner’s apps.');
const expiresAt = timeSchema.nullable();
const ALL_OR_SOME = {
  if: { properties: { all_apps: { const: true } }, required: ['all_apps'] },
  then: { properties: { apps: { maxItems: 0 } } },
};
const notBoth = { path: ['apps'], error: 'Send all_apps or apps, not both.' };

export const createTokenBody = z
  .object({
    name,
    permissions: permissions.default([]),
    all_apps: allApps.default(false),
    apps: apps.default([]),
    expires_at: expiresAt.default(null),
  })
  .refine((body) => !body.all_apps || body.apps.length === 0, notBoth)
  .meta(ALL_OR_SOME);

/** `apps` replaces all apps that the token can reach, including those that it registered. */
export const editTokenBody = z
  .object({
    name: name.optional(),
    permissions: permissions.optional(),
    all_apps: allApps.optional(),
    apps: apps.optional(),
    expires_at: expiresAt.optional(),
    ...unchangeable('id', 'status', 'last_used_at', 'created_at'),
  })
  .refine((body) => body.all_apps !== true || (body.apps ?? []).length === 0, notBoth)
  .refine((body) => body.all_apps !== false || body.apps !== undefined, {
    path: ['apps'],
    error: 'Without all_apps, send the apps that the token may reach.',
  })
  .meta({
    allOf: [
      ALL_OR_SOME,
      { if: { properties: { all_apps: { const: false } }, required: ['all_apps'] }, then: { required: ['apps'] } },
    ],
  });

export const listingsModuleBody = setListingsModule.request
  .refine(({ enabled, entitled }) => enabled !== undefined || entitled !== undefined, {
    path: ['enabled'],
    error: 'Send enabled, entitled or both.',
  })
  .meta({ anyOf: [{ required: ['enabled'] }, { required: ['entitled'] }] });

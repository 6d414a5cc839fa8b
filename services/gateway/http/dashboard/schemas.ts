import { permissionSchema, setListingsModule, timeSchema } from '@sluice/contracts';
import { z } from 'zod';
import { name } from '../management/schemas';

export const createTokenBody = z
  .object({
    name,
    permissions: z
      .array(z.enum(permissionSchema.options, `A permission is one of ${permissionSchema.options.join(', ')}.`))
      .default([]),
    all_apps: z.boolean('The all_apps must be true or false.').default(false),
    apps: z
      .array(z.union([z.int().positive(), z.string().min(1)]), 'The apps must be a list of ids.')
      .max(1000)
      .default([]),
    expires_at: timeSchema.nullable().default(null),
  })
  .refine((body) => !body.all_apps || body.apps.length === 0, {
    path: ['apps'],
    error: 'Send all_apps or apps, not both.',
  });

export const listingsModuleBody = setListingsModule.request.refine(
  ({ enabled, entitled }) => enabled !== undefined || entitled !== undefined,
  { path: ['enabled'], error: 'Send enabled, entitled or both.' },
);

import { z } from 'zod';
import { defineCall } from './call';

/** Whether the shop is connected, and as whom; null: not connected, or Google did not return it. */
export const merchantConnectionSchema = z.object({ connected: z.boolean(), email: z.string().nullable() });

export const merchantAccountSchema = z.object({ account_id: z.string(), name: z.string() });

/**
 * Begins a connection: returns the address at which a person grants access. Rejected with
 * module_disabled, entitlement_required or oauth_client_missing.
 */
export const connectMerchant = defineCall(
  'merchantSync.connect',
  z.object({ redirect_uri: z.url() }),
  z.object({ authorization_url: z.url() }),
  ['oauth_client_missing'],
);

/**
 * Ends that way with what the browser was sent back with; the state is used up, whatever comes of it.
 * Rejected with invalid_state, access_denied, remote_unavailable, oauth_client_missing, module_disabled
 * or entitlement_required.
 */
export const completeConnect = defineCall(
  'merchantSync.completeConnect',
  z.object({ state: z.string().optional(), code: z.string().optional(), error: z.string().optional() }),
  merchantConnectionSchema,
);

/** The connection is dropped either way; `unconfirmed`: Google did not confirm that its token is revoked. */
export const disconnectMerchant = defineCall(
  'merchantSync.disconnect',
  z.object({}),
  z.object({ revocation: z.enum(['confirmed', 'unconfirmed']) }),
  ['not_connected'],
);

/** Rejected with module_disabled or entitlement_required. */
export const getMerchantConnection = defineCall('merchantSync.getConnection', z.object({}), merchantConnectionSchema);

/**
 * The account that syncs go to. Rejected with not_connected, reauth_required, account_not_chosen,
 * account_inaccessible, and with the errors of the merchant API if it has to be requested.
 */
export const getMerchantAccount = defineCall('merchantSync.getAccount', z.object({}), merchantAccountSchema, [
  'not_connected',
  'reauth_required',
  'oauth_client_missing',
  'account_not_chosen',
  'account_inaccessible',
  'remote_quota_exceeded',
  'remote_unavailable',
  'remote_api_sunset',
]);

/** As which OAuth client access is asked for, and where it was set; null: none is. The secret is never told. */
export const oauthClientSchema = z.object({
  client_id: z.string().nullable(),
  source: z.enum(['saved', 'environment']).nullable(),
});
export type OAuthClientState = z.infer<typeof oauthClientSchema>;

/** One line, as it is copied from Google's console. */
const clientText = (field: string) => {
  const rule = `The ${field} must be text of 1 to 255 characters without spaces.`;
  return z
    .string(rule)
    .regex(/^\s*[!-~]{1,255}\s*$/, rule)
    .trim();
};

export const getOAuthClient = defineCall('merchantSync.getOAuthClient', z.object({}), oauthClientSchema);

/** In place of the environment's, and of one that was saved before. Rejected as ValidationError. */
export const saveOAuthClient = defineCall(
  'merchantSync.saveOAuthClient',
  z.object({ client_id: clientText('client_id'), client_secret: clientText('client_secret') }),
  oauthClientSchema,
);

/** Forgets the one that was saved; answers the one that holds then. */
export const deleteOAuthClient = defineCall('merchantSync.deleteOAuthClient', z.object({}), oauthClientSchema);

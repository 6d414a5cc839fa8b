import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { CLOCK, type Clock } from '@sluice/service-host';
import { DomainError } from '@sluice/kernel';
import type * as openidClient from 'openid-client';
import { z } from 'zod';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { type ClientIdentity, SavedOAuthClient } from './saved-oauth-client';

export const CONTENT_SCOPE = 'https://www.googleapis.com/auth/content';
const EMAIL_SCOPE = 'https://www.googleapis.com/auth/userinfo.email';
const SCOPES = [CONTENT_SCOPE, EMAIL_SCOPE];
/** The message of `oauth_client_missing`. */
export const CLIENT_MISSING =
  'No OAuth client is configured. Save one with the dashboard API, or set OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.';
/** A person may wait for the response. */
const LONGEST_MS = 10_000;

/** The token response for a code or a refresh token. */
export interface Grant {
  readonly accessToken: string;
  /** Undefined: the current refresh token stays valid. */
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly scopes: readonly string[];
}

export type OAuthFault =
  /** The code or the refresh token is no longer valid. */
  | 'invalid_grant'
  /** The authorization server rejects the client's id or secret. */
  | 'invalid_client'
  | 'unavailable';

/** Contains no request or response data, because either may be a secret. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly fault: OAuthFault,
    message: string,
  ) {
    super(message);
  }
}

type Library = typeof openidClient;

/** Google's authorization server, called as the saved client or the one of the environment. */
@Injectable()
export class OAuthClient {
  private readonly timeoutMs: number;

  constructor(
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly saved: SavedOAuthClient,
  ) {
    this.timeoutMs = Math.min(settings.remoteTimeoutMs, LONGEST_MS);
  }

  async isConfigured(): Promise<boolean> {
    return (await this.saved.find()) !== undefined;
  }

  /** @throws DomainError oauth_client_missing */
  async requireConfigured(): Promise<ClientIdentity> {
    const found = await this.saved.find();
    if (found === undefined) throw new DomainError('oauth_client_missing', CLIENT_MISSING);
    return found;
  }

  /**
   * The address where a person grants permanent (offline) access.
   * @throws DomainError oauth_client_missing
   */
  async authorizationUrl(request: {
    readonly redirectUri: string;
    readonly state: string;
    readonly verifier: string;
  }): Promise<string> {
    const { library, config } = await this.load();
    const url = library.buildAuthorizationUrl(config, {
      redirect_uri: request.redirectUri,
      scope: SCOPES.join(' '),
      state: request.state,
      code_challenge: await library.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
    });
    return url.href;
  }

  /** @throws OAuthError; DomainError oauth_client_missing */
  exchange(request: {
    readonly code: string;
    readonly redirectUri: string;
    readonly verifier: string;
  }): Promise<Grant> {
    const url = new URL(request.redirectUri);
    url.searchParams.set('code', request.code);
    return this.grant(({ library, config }) =>
      library.authorizationCodeGrant(config, url, { pkceCodeVerifier: request.verifier }),
    );
  }

  /** @throws OAuthError; DomainError oauth_client_missing */
  refresh(refreshToken: string): Promise<Grant> {
    return this.grant(({ library, config }) => library.refreshTokenGrant(config, refreshToken));
  }

  /** Whether the token is certainly no longer valid. @throws DomainError oauth_client_missing */
  async revoke(refreshToken: string): Promise<boolean> {
    const { library, config } = await this.load();
    try {
      await library.tokenRevocation(config, refreshToken);
      return true;
    } catch (error) {
      return error instanceof library.ResponseBodyError && error.error === 'invalid_token';
    }
  }

  /** Email address of the person who granted access; null when Google does not return it. */
  async email(accessToken: string): Promise<string | null> {
    const { library, config } = await this.load();
    try {
      const response = await library.fetchProtectedResource(
        config,
        accessToken,
        new URL(this.settings.oauthUserinfoUrl),
        'GET',
      );
      return z.object({ email: z.string() }).parse(await response.json()).email;
    } catch {
      return null;
    }
  }

  private async grant(
    ask: (loaded: Awaited<ReturnType<OAuthClient['load']>>) => ReturnType<Library['refreshTokenGrant']>,
  ): Promise<Grant> {
    const loaded = await this.load();
    try {
      const tokens = await ask(loaded);
      return {
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        expiresAt: this.clock.now().getTime() + (tokens.expires_in ?? 3_600) * 1_000,
        scopes: tokens.scope?.split(' ').filter((scope) => scope !== '') ?? SCOPES,
      };
    } catch (error) {
      throw oauthError(error, loaded.library);
    }
  }

  /** Loaded on demand because it takes long. */
  private async load() {
    const { clientId, clientSecret } = await this.requireConfigured();
    const library = await import('openid-client');
    const { oauthAuthorizeUrl, oauthTokenUrl, oauthRevokeUrl, oauthUserinfoUrl } = this.settings;
    const server = {
      issuer: new URL(oauthAuthorizeUrl).origin,
      authorization_endpoint: oauthAuthorizeUrl,
      token_endpoint: oauthTokenUrl,
      revocation_endpoint: oauthRevokeUrl,
      userinfo_endpoint: oauthUserinfoUrl,
    };
    const config = new library.Configuration(server, clientId, {}, library.ClientSecretPost(clientSecret));
    config.timeout = this.timeoutMs / 1_000;
    // The settings take plain http for loopback alone.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    library.allowInsecureRequests(config);
    return { library, config };
  }
}

/** Errors of openid-client contain whole responses, tokens included, so none of their content is passed on. */
function oauthError(error: unknown, { ResponseBodyError, WWWAuthenticateChallengeError }: Library): OAuthError {
  if (error instanceof WWWAuthenticateChallengeError) return clientRefused();
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_client' || error.error === 'unauthorized_client') return clientRefused();
    if (error.error === 'invalid_grant') {
      return new OAuthError('invalid_grant', 'Google rejected the grant, or revoked it.');
    }
  }
  return new OAuthError('unavailable', 'Google gave no token.');
}

function clientRefused(): OAuthError {
  return new OAuthError(
    'invalid_client',
    'Google rejected the OAuth client. Check its id and secret. If it was replaced by another one, connect the shop again.',
  );
}

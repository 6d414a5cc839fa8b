import { createHash, randomBytes } from 'node:crypto';
import type { Reply } from './merchant-reply';

interface Grant {
  readonly scopes: readonly string[];
  refreshToken: string;
  revoked: boolean;
}

interface Code {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
}

/** The authorization server of the loopback remote: codes, PKCE, refresh tokens and their revocation. */
export class MerchantOAuth {
  readonly clientId = 'client.apps.example';
  readonly clientSecret = `secret_${randomBytes(24).toString('hex')}`;
  /** Of the person who consents. */
  email = 'owner@shop.example';
  /** What the person does when asked. */
  consents: 'grant' | 'deny' = 'grant';
  /** Scopes that the person leaves out. */
  withheld: readonly string[] = [];
  /** Whether each refresh gives a new refresh token, which ends the one before. */
  rotates = false;
  tokenLifetimeSeconds = 3_600;
  /** Everything that it issued and that must not be stored in the clear. */
  readonly handedOut: string[] = [];
  private readonly codes = new Map<string, Code>();
  private readonly grants = new Set<Grant>();
  private readonly accessTokens = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();

  /** The page that a browser is sent to: answers immediately, by a redirect. */
  authorize(query: URLSearchParams): Reply {
    const redirectUri = query.get('redirect_uri') ?? '';
    const sound =
      query.get('response_type') === 'code' &&
      query.get('client_id') === this.clientId &&
      query.get('code_challenge_method') === 'S256' &&
      query.get('access_type') === 'offline' &&
      query.get('prompt') === 'consent' &&
      URL.canParse(redirectUri);
    if (!sound) return { status: 400, text: 'Error 400: invalid_request' };
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.consents === 'deny') {
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = this.handOut('4/0A');
      const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => !this.withheld.includes(scope));
      this.codes.set(code, { redirectUri, challenge: query.get('code_challenge') ?? '', scopes });
      back.searchParams.set('code', code);
      back.searchParams.set('scope', scopes.join(' '));
    }
    return { status: 302, headers: { location: back.href } };
  }

  token(form: URLSearchParams): Reply {
    if (form.get('client_id') !== this.clientId || form.get('client_secret') !== this.clientSecret) {
      return refusal(401, 'invalid_client');
    }
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const found = this.codes.get(form.get('code') ?? '');
        this.codes.delete(form.get('code') ?? '');
        const challenge = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        if (found?.challenge !== challenge || found.redirectUri !== form.get('redirect_uri')) {
          return refusal(400, 'invalid_grant');
        }
        const grant = { scopes: found.scopes, refreshToken: this.handOut('1//0'), revoked: false };
        this.grants.add(grant);
        return this.issue(grant, grant.refreshToken);
      }
      case 'refresh_token': {
        const grant = this.grantOf(form.get('refresh_token') ?? '');
        if (grant === undefined) return refusal(400, 'invalid_grant');
        if (!this.rotates) return this.issue(grant);
        grant.refreshToken = this.handOut('1//0');
        return this.issue(grant, grant.refreshToken);
      }
      default:
        return refusal(400, 'unsupported_grant_type');
    }
  }

  revoke(form: URLSearchParams): Reply {
    const token = form.get('token') ?? '';
    const grant = this.grantOf(token) ?? this.accessTokens.get(token)?.grant;
    if (grant === undefined || grant.revoked) return refusal(400, 'invalid_token');
    grant.revoked = true;
    return { status: 200, json: {} };
  }

  userinfo(authorization: string | undefined): Reply {
    const scopes = this.scopesOf(authorization);
    if (scopes === undefined) return refusal(401, 'invalid_token');
    const told = scopes.some((scope) => scope.endsWith('userinfo.email'));
    return { status: 200, json: { sub: '1', ...(told && { email: this.email, email_verified: true }) } };
  }

  /** What an Authorization header allows; undefined when it is no token that is good now. */
  scopesOf(authorization: string | undefined): readonly string[] | undefined {
    const known = this.accessTokens.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    return known === undefined || known.grant.revoked || known.expiresAt <= Date.now() ? undefined : known.grant.scopes;
  }

  /** An access token without the way through a browser. */
  accessToken(scopes: readonly string[] = ['https://www.googleapis.com/auth/content']): string {
    const grant = { scopes, refreshToken: this.handOut('1//0'), revoked: false };
    this.grants.add(grant);
    return (this.issue(grant).json as { access_token: string }).access_token;
  }

  /** The person takes every consent back. */
  revokeAll(): void {
    for (const grant of this.grants) grant.revoked = true;
  }

  /** Access tokens are good no longer; refresh tokens stay. */
  expireAccessTokens(): void {
    this.accessTokens.clear();
  }

  get liveGrants(): number {
    return [...this.grants].filter(({ revoked }) => !revoked).length;
  }

  private grantOf(refreshToken: string): Grant | undefined {
    return [...this.grants].find((grant) => grant.refreshToken === refreshToken && !grant.revoked);
  }

  private issue(grant: Grant, refreshToken?: string): Reply {
    const accessToken = this.handOut('ya29.a0');
    this.accessTokens.set(accessToken, { grant, expiresAt: Date.now() + this.tokenLifetimeSeconds * 1_000 });
    return {
      status: 200,
      json: {
        access_token: accessToken,
        expires_in: this.tokenLifetimeSeconds,
        scope: grant.scopes.join(' '),
        token_type: 'Bearer',
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      },
    };
  }

  private handOut(prefix: string): string {
    const secret = prefix + randomBytes(32).toString('base64url');
    this.handedOut.push(secret);
    return secret;
  }
}

const refusal = (status: number, error: string): Reply => ({
  status,
  json: { error, error_description: `It is ${error}.` },
});

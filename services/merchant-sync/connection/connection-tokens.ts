import { Inject, Injectable } from '@nestjs/common';
import type { ListingSecrets } from '@sluice/contracts';
import { SealBrokenError, VAULT, type Vault } from '@sluice/vault';

/** The sealed part of a connection. */
export interface ConnectionTokens {
  readonly refreshToken: string;
  readonly accessToken: string;
  /** When the access token expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Email address of the person who granted access; null when Google did not return it. */
  readonly email: string | null;
  /** Set while a process refreshes the token; other processes wait for it. */
  readonly refreshedBy?: string;
  /** ISO 8601: since when these tokens are to be revoked. */
  readonly revokeSince?: string;
}

/** `broken`: no key opens it. */
export type FoundTokens = { readonly tokens: ConnectionTokens; readonly version: number } | 'broken' | undefined;

/** Sealed tokens by connection id: those of the current connection, and those that still have to be revoked. */
@Injectable()
export class SealedTokens {
  constructor(@Inject(VAULT) private readonly vault: Vault) {}

  async find(connectionId: string): Promise<FoundTokens> {
    try {
      const found = await this.secrets.open(connectionId);
      if (found === undefined) return undefined;
      return { tokens: JSON.parse(found.secret.toString()) as ConnectionTokens, version: found.version };
    } catch (error) {
      if (error instanceof SealBrokenError) return 'broken';
      throw error;
    }
  }

  /** Whether it was written: it is not when the guard does not hold. */
  async put(connectionId: string, tokens: ConnectionTokens, guard: number | 'absent'): Promise<boolean> {
    return (await this.secrets.put(connectionId, Buffer.from(JSON.stringify(tokens)), guard)) !== undefined;
  }

  /** Whether they were there; with a version also: unchanged since. */
  delete(connectionId: string, version?: number): Promise<boolean> {
    return this.secrets.delete(connectionId, version);
  }

  /** Ids of connections. */
  ids(): Promise<string[]> {
    return this.secrets.ids();
  }

  private get secrets() {
    return this.vault.changing('oauthTokens' satisfies ListingSecrets);
  }
}

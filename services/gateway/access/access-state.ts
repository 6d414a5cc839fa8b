import type { App, Permission, RegistryEvent } from '@sluice/contracts';
import type { RecordedFacts } from '@sluice/event-store';

export interface KnownToken {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly allApps: boolean;
  /** Those selected for it and those that it registered. */
  readonly apps: Set<number>;
  readonly hash: string;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

export interface KnownApp {
  readonly id: number;
  readonly ownerId: number;
  readonly appId: string;
  readonly name: string;
  /** That registered it. */
  readonly tokenId: number | null;
  /** Whether its owner alone may create, rotate and retire its signing keys. */
  readonly ownerHoldsSigningKeys: boolean;
  /** Whether no two of its versions may carry one supplied signature. */
  readonly uniqueSignatures: boolean;
  /** As the App's `keep_builds`. */
  readonly keepBuilds: number | null;
  /** As the App's. */
  readonly attributes: App['attributes'];
}

export interface KnownOwner {
  readonly id: number;
  readonly name: string;
  /** SHA-256 of the owner key. */
  readonly hash: string;
  readonly suspended: boolean;
}

/** Who may do what: tokens, owners and apps in memory, folded from the registry's events. */
export class AccessState {
  private readonly tokens = new Map<number, KnownToken>();
  private readonly tokensByHash = new Map<string, KnownToken>();
  /** By token, revoked ones as well. */
  private readonly tokenOwners = new Map<number, number>();
  private readonly owners = new Map<number, KnownOwner>();
  private readonly ownersByHash = new Map<string, KnownOwner>();
  private readonly apps = new Map<number, KnownApp>();
  private readonly removedApps = new Map<number, KnownApp>();
  private readonly appsByIdentifier = new Map<string, KnownApp>();

  apply(event: RegistryEvent & Pick<RecordedFacts, 'metadata'>): void {
    switch (event.type) {
      case 'OwnerCreated':
        this.keepOwner({ id: event.data.id, name: event.data.name, hash: event.data.hash, suspended: false });
        break;
      case 'OwnerKeyRotated': {
        const owner = this.owners.get(event.data.id);
        if (owner === undefined) break;
        this.ownersByHash.delete(owner.hash);
        this.keepOwner({ ...owner, hash: event.data.hash });
        break;
      }
      case 'OwnerSuspended':
      case 'OwnerResumed': {
        const owner = this.owners.get(event.data.id);
        if (owner !== undefined) this.keepOwner({ ...owner, suspended: event.type === 'OwnerSuspended' });
        break;
      }
      case 'TokenIssued': {
        this.keep({ ...event.data, apps: new Set(event.data.apps), createdAt: event.metadata.at });
        this.tokenOwners.set(event.data.id, event.data.ownerId);
        break;
      }
      case 'TokenEdited': {
        const { apps, ownAppsAfter, ...edited } = event.data;
        const token = this.tokens.get(edited.id);
        if (token === undefined) break;
        const own = [...this.apps.values()].filter((app) => app.tokenId === token.id && app.id > ownAppsAfter);
        this.keep({ ...token, ...edited, apps: new Set([...apps, ...own.map(({ id }) => id)]) });
        break;
      }
      case 'TokenRotated': {
        const token = this.tokens.get(event.data.id);
        if (token === undefined) break;
        this.tokensByHash.delete(token.hash);
        this.keep({ ...token, hash: event.data.hash });
        break;
      }
      case 'TokenRevoked': {
        const token = this.tokens.get(event.data.id);
        if (token !== undefined) this.tokensByHash.delete(token.hash);
        this.tokens.delete(event.data.id);
        break;
      }
      case 'AppRegistered': {
        const { id, ownerId, appId, name, tokenId } = event.data;
        const policy = { ownerHoldsSigningKeys: false, uniqueSignatures: false, keepBuilds: null, attributes: {} };
        const app = { id, ownerId, appId, name, tokenId, ...policy };
        this.apps.set(id, app);
        this.appsByIdentifier.set(appId, app);
        if (tokenId !== null) this.tokens.get(tokenId)?.apps.add(id);
        break;
      }
      case 'AppEdited': {
        const { id, name, signingKeyRotation, uniqueSignatures, keepBuilds, attributes } = event.data;
        const app = this.apps.get(id);
        if (app === undefined) break;
        const edited = {
          ...app,
          ...(name !== undefined && { name }),
          ...(signingKeyRotation !== undefined && { ownerHoldsSigningKeys: signingKeyRotation === 'owner_only' }),
          ...(uniqueSignatures !== undefined && { uniqueSignatures }),
          ...(keepBuilds !== undefined && { keepBuilds }),
          ...(attributes !== undefined && { attributes }),
        };
        this.apps.set(id, edited);
        this.appsByIdentifier.set(app.appId, edited);
        break;
      }
      case 'AppRemovalStarted': {
        const { id } = event.data;
        const app = this.apps.get(id);
        if (app === undefined) break;
        this.apps.delete(id);
        this.removedApps.set(id, app);
        this.appsByIdentifier.delete(app.appId);
        for (const token of this.tokens.values()) token.apps.delete(id);
        break;
      }
      case 'AppRemoved':
        break;
    }
  }

  token(hash: string): KnownToken | undefined {
    return this.tokensByHash.get(hash);
  }

  owner(hash: string): KnownOwner | undefined {
    return this.ownersByHash.get(hash);
  }

  ownerById(id: number): KnownOwner | undefined {
    return this.owners.get(id);
  }

  /** Whose an app is, or was. */
  ownerOfApp(id: number): number | undefined {
    return (this.apps.get(id) ?? this.removedApps.get(id))?.ownerId;
  }

  /** Whose a token is, or was. */
  ownerOfToken(id: number): number | undefined {
    return this.tokenOwners.get(id);
  }

  /** By integer id or by `app_id`, when the token reaches it. */
  reachableApp(token: KnownToken, reference: string): KnownApp | undefined {
    const app = this.app(reference);
    return app !== undefined && this.reaches(token, app) ? app : undefined;
  }

  /** By integer id or by `app_id`, when it is the owner's. */
  ownedApp(owner: KnownOwner, reference: string): KnownApp | undefined {
    const app = this.app(reference);
    return app?.ownerId === owner.id ? app : undefined;
  }

  /** As ownedApp; a removed one by its integer id alone. */
  everOwnedApp(owner: KnownOwner, reference: string): KnownApp | undefined {
    const removed = /^\d{1,15}$/.test(reference) ? this.removedApps.get(Number(reference)) : undefined;
    return removed?.ownerId === owner.id ? removed : this.ownedApp(owner, reference);
  }

  /** Ids of the owner's apps, in no order. */
  appsOfOwner(ownerId: number): number[] {
    return [...this.apps.values()].filter((app) => app.ownerId === ownerId).map(({ id }) => id);
  }

  /** By id ascending. */
  reachableApps(token: KnownToken): KnownApp[] {
    return [...this.apps.values()].filter((app) => this.reaches(token, app)).sort((a, b) => a.id - b.id);
  }

  private keepOwner(owner: KnownOwner): void {
    this.owners.set(owner.id, owner);
    this.ownersByHash.set(owner.hash, owner);
  }

  private keep(token: KnownToken): void {
    this.tokens.set(token.id, token);
    this.tokensByHash.set(token.hash, token);
  }

  private app(reference: string): KnownApp | undefined {
    return /^\d{1,15}$/.test(reference) ? this.apps.get(Number(reference)) : this.appsByIdentifier.get(reference);
  }

  private reaches(token: KnownToken, app: KnownApp): boolean {
    return app.ownerId === token.ownerId && (token.allApps || token.apps.has(app.id));
  }
}

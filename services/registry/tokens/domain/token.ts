import { DomainError, requireName, unknownEvent, type Decider } from '@sluice/kernel';

export type Permission = 'manage' | 'builds.delete' | 'apps.delete' | 'keys.delete' | 'manage_store';

export interface TokenGrant {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  /** Holds `manage` always, and nothing twice. */
  readonly permissions: readonly Permission[];
  /** Reaches every app of the owner, later ones included. */
  readonly allApps: boolean;
  /** Ids of the apps selected for it; those that it registers itself come on top. */
  readonly apps: readonly number[];
  /** ISO 8601; null: never. A reader compares it with the present time. */
  readonly expiresAt: string | null;
}

/** Which apps a token reaches. */
export interface Reach {
  readonly allApps: boolean;
  readonly apps: readonly number[];
  /** Of the apps that it registered itself, those with a higher id alone count. */
  readonly ownAppsAfter: number;
}

/** A fresh secret, without the secret itself. */
export interface TokenSecret {
  /** SHA-256 of the token. */
  readonly hash: string;
  /** Id of the sealed secret in the vault, where it is kept for a repeat of the command; else null. */
  readonly sealId: string | null;
}

export interface IssueToken {
  readonly type: 'IssueToken';
  readonly grant: TokenGrant;
  readonly secret: TokenSecret;
}

/** Of an existing token. To any owner but its own it is as good as none. */
export type ChangeToken = { readonly ownerId: number } & (
  | {
      readonly type: 'EditToken';
      readonly name?: string | undefined;
      readonly permissions?: readonly Permission[] | undefined;
      readonly reach?: Reach | undefined;
      readonly expiresAt?: string | null | undefined;
    }
  | { readonly type: 'RotateToken'; readonly secret: TokenSecret }
  | { readonly type: 'RevokeToken' }
);

export type TokenCommand = IssueToken | ChangeToken;

/** `formerSealId`: of a secret that is of no use any more. */
export type TokenEvent =
  | {
      readonly type: 'TokenIssued';
      readonly data: TokenGrant & { readonly hash: string; readonly sealId?: string | null };
    }
  | { readonly type: 'TokenEdited'; readonly data: Omit<TokenGrant, 'ownerId'> & Reach }
  | {
      readonly type: 'TokenRotated';
      readonly data: { readonly id: number; readonly formerSealId: string | null } & TokenSecret;
    }
  | { readonly type: 'TokenRevoked'; readonly data: { readonly id: number; readonly formerSealId?: string | null } };

export interface ExistingToken extends TokenGrant, Reach {
  readonly sealId: string | null;
  readonly revoked: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

export type Token = ExistingToken | undefined;

/** Stream `token-{id}`: one access token. */
export const tokenStream = (id: number) => `token-${id}`;

/** @throws DomainError TOKEN_NOT_FOUND */
export function ownedToken(state: Token, ownerId: number): ExistingToken {
  if (state?.ownerId !== ownerId) throw new DomainError('TOKEN_NOT_FOUND', 'There is no such token.');
  return state;
}

export const token: Decider<Token, TokenCommand, TokenEvent> = {
  initialState: () => undefined,

  decide: (command, state) => {
    if (command.type === 'IssueToken') {
      if (state !== undefined) {
        throw new Error(`The token ${state.id} is issued already.`);
      }
      const { grant, secret } = command;
      requireName(grant.name);
      const apps = [...new Set(grant.apps)];
      return [{ type: 'TokenIssued', data: { ...grant, permissions: withManage(grant.permissions), apps, ...secret } }];
    }
    const current = ownedToken(state, command.ownerId);
    const { id, sealId: formerSealId } = current;
    if (command.type === 'RevokeToken') {
      return current.revoked ? [] : [{ type: 'TokenRevoked', data: { id, formerSealId } }];
    }
    if (current.revoked)
      throw new DomainError('TOKEN_REVOKED', 'The token is revoked permanently. Create another token.');
    if (command.type === 'RotateToken') {
      return [{ type: 'TokenRotated', data: { id, ...command.secret, formerSealId } }];
    }
    requireName(command.name);
    const { name = current.name, permissions = current.permissions, expiresAt = current.expiresAt } = command;
    const { allApps, apps, ownAppsAfter } = reachAfter(current, command.reach);
    const edited = { id, name, permissions: withManage(permissions), allApps, apps, ownAppsAfter, expiresAt };
    return isUnchanged(current, edited) ? [] : [{ type: 'TokenEdited', data: edited }];
  },

  evolve: (state, event, at) => {
    switch (event.type) {
      case 'TokenIssued': {
        const { id, ownerId, name, permissions, allApps, apps, expiresAt, sealId = null } = event.data;
        return {
          ...{ id, ownerId, name, permissions, allApps, apps, expiresAt, sealId },
          ownAppsAfter: 0,
          revoked: false,
          createdAt: at,
        };
      }
      case 'TokenEdited':
        return state && { ...state, ...event.data };
      case 'TokenRotated':
        return state && { ...state, sealId: event.data.sealId };
      case 'TokenRevoked':
        return state && { ...state, sealId: null, revoked: true };
      default:
        return unknownEvent(event);
    }
  },
};

function withManage(permissions: readonly Permission[]): Permission[] {
  return [...new Set<Permission>(['manage', ...permissions])];
}

/** A token for all apps that is given all apps stays as it is. */
function reachAfter(current: Reach, wanted: Reach | undefined): Reach {
  if (wanted === undefined || (wanted.allApps && current.allApps)) return current;
  return { ...wanted, apps: [...new Set(wanted.apps)] };
}

function isUnchanged(current: ExistingToken, edited: Omit<TokenGrant, 'ownerId'> & Reach): boolean {
  const relevant = ({ name, permissions, allApps, apps, ownAppsAfter, expiresAt }: typeof edited) =>
    JSON.stringify([name, permissions, allApps, apps, ownAppsAfter, expiresAt]);
  return relevant(current) === relevant(edited);
}

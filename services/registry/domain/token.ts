import { DomainError, unknownEvent, type Decider } from '@sluice/kernel';

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
  /** ISO 8601; null: never. Whether it has come is judged by whoever reads. */
  readonly expiresAt: string | null;
}

export interface IssueToken {
  readonly type: 'IssueToken';
  readonly grant: TokenGrant;
  /** SHA-256 of the token. */
  readonly hash: string;
}

export interface RevokeToken {
  readonly type: 'RevokeToken';
  /** Who revokes: a token of another owner is as good as none. */
  readonly ownerId: number;
}

export type TokenCommand = IssueToken | RevokeToken;

export type TokenEvent =
  | { readonly type: 'TokenIssued'; readonly data: TokenGrant & { readonly hash: string } }
  | { readonly type: 'TokenRevoked'; readonly data: { readonly id: number } };

export type Token = (TokenGrant & { readonly revoked: boolean }) | undefined;

/** Stream `token-{id}`: one access token. */
export const tokenStream = (id: number) => `token-${id}`;

export const token: Decider<Token, TokenCommand, TokenEvent> = {
  initialState: () => undefined,

  decide: (command, state) => {
    switch (command.type) {
      case 'IssueToken': {
        if (state !== undefined) {
          throw new DomainError('TOKEN_ALREADY_ISSUED', `The token ${state.id} is issued already.`);
        }
        const { grant, hash } = command;
        const permissions = [...new Set<Permission>(['manage', ...grant.permissions])];
        return [{ type: 'TokenIssued', data: { ...grant, permissions, apps: [...new Set(grant.apps)], hash } }];
      }
      case 'RevokeToken':
        if (state?.ownerId !== command.ownerId) throw new DomainError('TOKEN_NOT_FOUND', 'There is no such token.');
        return state.revoked ? [] : [{ type: 'TokenRevoked', data: { id: state.id } }];
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'TokenIssued': {
        const { id, ownerId, name, permissions, allApps, apps, expiresAt } = event.data;
        return { id, ownerId, name, permissions, allApps, apps, expiresAt, revoked: false };
      }
      case 'TokenRevoked':
        return state && { ...state, revoked: true };
      default:
        return unknownEvent(event);
    }
  },
};

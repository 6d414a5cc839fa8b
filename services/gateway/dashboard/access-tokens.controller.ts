import { createToken, editToken, getToken, listTokens, revokeToken, rotateToken } from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import type { z } from 'zod';
import { AccessIndex } from '../access/access-index';
import type { KnownOwner } from '../access/access-state';
import { authorizeGrant } from '../access/authentication';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { createTokenBody, editTokenBody } from './schemas';

/** Of a reference that names no app. */
const MAX_SHOWN = 160;

/** Access Tokens: made by the owner alone, so that a leaked token can't mint another. */
@Routes(
  'Access tokens',
  'Credentials of the management plane and, with `manage_store`, of the listings-ads plane. Only the operator can give a token that permission; other owners get 403 `OPERATOR_ONLY`.',
)
export class AccessTokensController {
  constructor(private readonly access: AccessIndex) {}

  @DashboardRoute('GET', 'tokens', {
    summary: 'Access tokens of the owner, by id',
    query: [pageQuery],
    call: listTokens,
  })
  listTokens = ({ owner }: RequestContext, page: z.output<typeof pageQuery>) => ({ ...page, ownerId: owner.id });

  @DashboardRoute('POST', 'tokens', {
    repeatable: true,
    summary: 'Make an access token; only this answer shows it',
    body: createTokenBody,
    call: createToken,
    answers: { 201: 'The token, with its secret.' },
    refusals: ['OPERATOR_ONLY'],
  })
  createToken({ owner }: RequestContext, body: z.output<typeof createTokenBody>) {
    const { name, permissions, all_apps, apps, expires_at } = body;
    authorizeGrant(owner, permissions);
    const named = apps
      .map(String)
      .map((reference) => ({ reference, app: this.access.state.ownedApp(owner, reference) }));
    return {
      ownerId: owner.id,
      name,
      permissions,
      allApps: all_apps,
      apps: named.flatMap(({ app }) => app?.id ?? []),
      // The repeat of a creation is answered although an app has gone since: the registry knows it.
      unknownApps: named.flatMap(({ app, reference }) => (app === undefined ? reference.slice(0, MAX_SHOWN) : [])),
      expiresAt: expires_at,
    };
  }

  @DashboardRoute('GET', 'tokens/:token', {
    summary: 'One access token',
    call: getToken,
    answers: { 200: 'The token, without its secret.' },
  })
  getToken = tokenOf;

  @DashboardRoute('PATCH', 'tokens/:token', {
    summary: 'Change what an access token is called, may do and reaches, and until when',
    description:
      'Members left out stay as they are. `apps` replaces every app that it reaches, those that it registered included; `all_apps: true` gives it all, `all_apps: false` goes with `apps`. Counts at once, everywhere.',
    body: editTokenBody,
    call: editToken,
    answers: { 200: 'The token as it stands now.' },
    refusals: ['OPERATOR_ONLY'],
  })
  editToken(context: RequestContext, body: z.output<typeof editTokenBody>) {
    const { owner } = context;
    const { name, permissions, all_apps, apps, expires_at } = body;
    authorizeGrant(owner, permissions);
    const reach =
      all_apps === undefined && apps === undefined
        ? undefined
        : { allApps: all_apps ?? false, apps: (apps ?? []).map((reference) => this.appId(owner, String(reference))) };
    return { ...tokenOf(context), name, permissions, reach, expiresAt: expires_at };
  }

  @DashboardRoute('POST', 'tokens/:token/rotate', {
    repeatable: true,
    summary: 'Give an access token a new secret; only this answer shows it',
    description: 'The old secret ends at once, everywhere. Everything else stays.',
    call: rotateToken,
    answers: { 200: 'The token, with its new secret.' },
  })
  rotateToken = tokenOf;

  @DashboardRoute('POST', 'tokens/:token/revoke', {
    repeatable: true,
    endsAccess: true,
    summary: 'Revoke an access token, everywhere at once',
    call: revokeToken,
    answers: { 200: 'The revoked token.' },
  })
  revokeToken = tokenOf;

  private appId(owner: KnownOwner, reference: string): number {
    const app = this.access.state.ownedApp(owner, reference);
    if (app === undefined) throw new ValidationError({ apps: [`There is no app "${reference.slice(0, MAX_SHOWN)}".`] });
    return app.id;
  }
}

const tokenOf = (context: RequestContext) => ({ ownerId: context.owner.id, id: context.id('token') });

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

/** The longest part of an unknown reference that the message repeats. */
const MAX_SHOWN = 160;

/** Only owners create access tokens, so that a leaked token can't create another. */
@Routes(
  'Access tokens',
  'Credentials of the management API and, with `manage_store`, of the listings API. Only the operator can grant that permission; other owners get 403 `OPERATOR_ONLY`.',
)
export class AccessTokensController {
  constructor(private readonly access: AccessIndex) {}

  @DashboardRoute('GET', 'tokens', {
    summary: 'List the owner’s access tokens, by ID',
    query: [pageQuery],
    call: listTokens,
  })
  listTokens = ({ owner }: RequestContext, page: z.output<typeof pageQuery>) => ({ ...page, ownerId: owner.id });

  @DashboardRoute('POST', 'tokens', {
    repeatable: true,
    summary: 'Create an access token; the secret appears only in this response',
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
      // A repeated creation succeeds even if one of its apps has been deleted since, because the registry has the first result.
      unknownApps: named.flatMap(({ app, reference }) => (app === undefined ? reference.slice(0, MAX_SHOWN) : [])),
      expiresAt: expires_at,
    };
  }

  @DashboardRoute('GET', 'tokens/:token', {
    summary: 'Get an access token',
    call: getToken,
    answers: { 200: 'The token, without its secret.' },
  })
  getToken = tokenOf;

  @DashboardRoute('PATCH', 'tokens/:token', {
    summary: 'Update the name, permissions, apps or expiry of an access token',
    description:
      'Omitted members keep their values. `apps` replaces all apps that the token can reach, including those that it registered. `all_apps: true` grants access to all apps; `all_apps: false` requires `apps`. Takes effect immediately on every gateway.',
    body: editTokenBody,
    call: editToken,
    answers: { 200: 'The updated token.' },
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
    summary: 'Rotate the secret of an access token; the secret appears only in this response',
    description: 'The previous secret stops working immediately on every gateway. Nothing else changes.',
    call: rotateToken,
    answers: { 200: 'The token, with its new secret.' },
  })
  rotateToken = tokenOf;

  @DashboardRoute('POST', 'tokens/:token/revoke', {
    repeatable: true,
    onlyTakesAway: true,
    summary: 'Revoke an access token immediately on every gateway',
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

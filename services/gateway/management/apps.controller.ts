import { createApp, editApp, getApp, listApps, removeApp } from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import type { z } from 'zod';
import { authorizeAppEdit } from '../access/authentication';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { AppChannels } from './app-channels';
import { ifMatchHeader, ifRevision, tagged } from './if-match';
import { createAppBody, editAppBody } from './schemas';

@Routes('Apps', 'Apps that the token can reach.')
export class AppsController {
  constructor(private readonly channels: AppChannels) {}

  @ManagementRoute('GET', 'apps', {
    summary: 'List the apps that this token can reach, by ID',
    query: [pageQuery],
    call: listApps,
    tokensOnly: true,
  })
  listApps = ({ token }: RequestContext, page: z.output<typeof pageQuery>) => ({
    ...page,
    ownerId: token.ownerId,
    ids: token.allApps ? null : [...token.apps],
  });

  /** An app that an owner registers is attached to no token. */
  @ManagementRoute('POST', 'apps', {
    summary: 'Register an app',
    description: 'If the token is limited to specific apps, the new app is added to them.',
    body: createAppBody,
    call: createApp,
    ...tagged(createApp, 201, 'The new app.'),
  })
  createApp({ access: { ownerId, token } }: RequestContext, body: z.output<typeof createAppBody>) {
    const { name, bundle_id, platform, description } = body;
    return {
      ownerId,
      tokenId: token?.id ?? null,
      name,
      bundleId: bundle_id ?? null,
      platform: platform ?? 'both',
      description: description ?? null,
    };
  }

  @ManagementRoute('GET', 'apps/:app', {
    summary: 'One app',
    call: getApp,
    raw: true,
    ...tagged(getApp, 200, 'The app.'),
  })
  getApp = ({ app }: RequestContext) => ({ id: app.id });

  @ManagementRoute('PATCH', 'apps/:app', {
    summary: 'Edit an app',
    description:
      'Omitted members keep their values; a bundle_id can never be changed. Only the owner can change signing_key_rotation, unique_signatures and keep_builds.',
    headers: ifMatchHeader,
    body: editAppBody,
    allErrors: async ({ channels }: AppsController, { app, caller }, { default_channels: defaults }, errors) => ({
      ...(await channels.errorsOfDefaults(app.id, defaults, caller)),
      ...errors,
    }),
    call: editApp,
    ...tagged(editApp, 200, 'The updated app.'),
    refusals: ['TOKEN_PERMISSION_DENIED'],
  })
  async editApp(context: RequestContext, changes: z.output<typeof editAppBody>) {
    const { app, access, caller } = context;
    authorizeAppEdit(access, changes);
    const errors = await this.channels.errorsOfDefaults(app.id, changes.default_channels, caller);
    if (Object.keys(errors).length > 0) throw new ValidationError(errors);
    const { name, platform, description } = changes;
    const { signing_key_rotation: signingKeyRotation, unique_signatures: uniqueSignatures } = changes;
    return {
      id: app.id,
      ...ifRevision(context),
      name,
      platform,
      description,
      signingKeyRotation,
      uniqueSignatures,
      keepBuilds: changes.keep_builds,
      defaultRollout: changes.default_rollout,
      attributes: changes.attributes,
      defaultChannels: changes.default_channels,
      channelAliases: changes.channel_aliases,
    };
  }

  @ManagementRoute('DELETE', 'apps/:app', {
    permission: 'apps.delete',
    summary: 'Delete an app permanently, with its builds and keys',
    description: 'Its bundle_id can be registered again.',
    headers: ifMatchHeader,
    call: removeApp,
    answers: { 200: 'The app is deleted.' },
  })
  deleteApp = (context: RequestContext) => ({ id: context.app.id, ...ifRevision(context) });
}

import { Body, Controller, Delete, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import { createApp, editApp, removeApp, type Caller } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { authorizeAppEdit, type Access } from '../authentication';
import { RequestAccess, RequestApp, RequestCaller } from '../request.decorators';
import { createAppBody, editAppBody } from './schemas';

@Controller(forTokensAndOwners('apps'))
export class AppsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** By an owner: attached to no token. */
  @Post()
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestAccess() { ownerId, token, caller }: Access) {
    const { name, bundle_id, platform, description } = validateBody(createAppBody, body);
    const app = await this.messaging.request(
      createApp,
      {
        ownerId,
        tokenId: token?.id ?? null,
        name,
        bundleId: bundle_id ?? null,
        platform: platform ?? 'both',
        description: description ?? null,
      },
      caller,
    );
    return { data: app };
  }

  @Patch(':app')
  async edit(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestAccess() access: Access) {
    const changes = validateBody(editAppBody, body);
    authorizeAppEdit(access, changes);
    const { caller } = access;
    const { name, platform, description } = changes;
    const { signing_key_rotation: signingKeyRotation, unique_signatures: uniqueSignatures } = changes;
    const keepBuilds = changes.keep_builds;
    const request = { id: app.id, name, platform, description, signingKeyRotation, uniqueSignatures, keepBuilds };
    return { data: await this.messaging.request(editApp, request, caller) };
  }

  @Delete(':app')
  async delete(@RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(removeApp, { id: app.id }, caller) };
  }
}

import { Inject } from '@nestjs/common';
import {
  addChannel,
  type AppChannel,
  audienceSchema,
  channelNameSchema,
  createChannelKey,
  deleteChannelKey,
  editChannel,
  getChannel,
  listChannelKeys,
  listChannels,
  removeChannel,
  restrictChannelKey,
  revealChannelKey,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { type Clock, ValidationError } from '@sluice/kernel';
import { CLOCK } from '@sluice/service-host';
import { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { AppChannels } from './app-channels';
import { timeText } from './as-of';
import { AudienceNames } from './audience-names';
import { ifMatchHeader, ifRevision, tagged } from './if-match';
import { restrictionsBody, restrictionsOf } from './restrictions';
import { createChannelKeyBody, unchangeable } from './schemas';

const PATH = 'apps/:app/channels';
const KEYS = `${PATH}/:channel/keys`;

const expiresAt = timeText('expires_at')
  .nullish()
  .describe('When the channel is deleted, with its builds: a time in the future. Null: never.');

const AUDIENCE_WORDS =
  'The devices that are offered the builds of the channel. A build that has an audience of its own is offered to devices that are in both. null: all devices. The audience must have at least one rule.';
const selfAssign = z.boolean('The self_assign must be true or false.');

const addChannelBody = z.object({
  name: channelNameSchema,
  expires_at: expiresAt,
  audience: audienceSchema.nullish().describe(AUDIENCE_WORDS),
  self_assign: selfAssign
    .nullish()
    .describe('Whether devices may choose the channel themselves (POST /api/v1/channel of the device API).'),
});

const channelFilter = z.object({
  expires: z
    .enum(['true', 'false'], 'The expires must be true or false.')
    .optional()
    .describe('true: only channels that expire, such as previews. false: only those that stay.'),
});

const editChannelBody = z.object({
  expires_at: expiresAt,
  audience: audienceSchema.nullable().optional().describe(AUDIENCE_WORDS),
  self_assign: selfAssign
    .optional()
    .describe('Whether devices may choose the channel themselves. False: those that have chosen it leave it.'),
  ...unchangeable('name', 'id', 'standard', 'created_at', 'revision'),
});

const ofChannel = (context: RequestContext) => ({ appId: context.app.id, name: context.param('channel') });
/** The channel at the revision that If-Match names. */
const expectedChannel = (context: RequestContext) => ({ ...ofChannel(context), ...ifRevision(context) });

@Routes(
  'Channels',
  'Every app has the channels production, staging and development, and may add others. An added channel has no part in default_rollout.',
)
export class ChannelsController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly channels: AppChannels,
    private readonly audiences: AudienceNames,
  ) {}

  @ManagementRoute('GET', PATH, {
    summary: 'List the channels of an app: the standard ones, then those that it has added, by name',
    query: [pageQuery, channelFilter],
    call: listChannels,
  })
  listChannels = (
    { app }: RequestContext,
    { expires, ...page }: z.output<typeof pageQuery> & z.output<typeof channelFilter>,
  ) => ({ ...page, appId: app.id, ...(expires !== undefined && { expires: expires === 'true' }) });

  @ManagementRoute('POST', PATH, {
    summary: 'Add a channel',
    description: 'An app may add CHANNEL_LIMIT channels, 1,000 by default. A channel can not be renamed.',
    body: addChannelBody,
    call: addChannel,
    ...tagged(addChannel, 201, 'The new channel.'),
  })
  async addChannel(context: RequestContext, { name, ...body }: z.output<typeof addChannelBody>) {
    const expiresAt = this.inFuture(body.expires_at) ?? undefined;
    const selfAssign = body.self_assign ?? undefined;
    const { audience, names } = await this.audienceOf(context, body);
    return { appId: context.app.id, name, expiresAt, selfAssign, audience: audience ?? undefined, names };
  }

  @ManagementRoute('GET', `${PATH}/:channel`, {
    summary: 'A channel',
    call: getChannel,
    ...tagged(getChannel, 200, 'The channel.'),
  })
  getChannel = ofChannel;

  @ManagementRoute('PATCH', `${PATH}/:channel`, {
    summary: 'Change when a channel expires, whether devices may choose it, or its audience',
    description: 'Omitted members keep their values. Of a standard channel, only the audience can be changed.',
    headers: ifMatchHeader,
    body: editChannelBody,
    call: editChannel,
    ...tagged(editChannel, 200, 'The updated channel.'),
  })
  async editChannel(context: RequestContext, body: z.output<typeof editChannelBody>) {
    const rules = { expiresAt: this.inFuture(body.expires_at), selfAssign: body.self_assign };
    return { ...expectedChannel(context), ...rules, ...(await this.audienceOf(context, body)) };
  }

  @ManagementRoute('DELETE', `${PATH}/:channel`, {
    permission: 'builds.delete',
    summary: 'Delete a channel that the app has added, with its builds',
    description:
      'Devices that name the channel get channelClosed for 30 days. A channel that is added under the same name later is another channel.',
    headers: ifMatchHeader,
    call: removeChannel,
    answers: { 200: 'Deleted.' },
  })
  removeChannel = expectedChannel;

  @ManagementRoute('GET', KEYS, {
    summary: 'List the keys that belong to a channel, by ID',
    query: [pageQuery],
    call: listChannelKeys,
    refusals: ['CHANNEL_NOT_FOUND'],
  })
  async listChannelKeys(context: RequestContext, page: z.output<typeof pageQuery>) {
    return { ...page, ...(await this.channels.ofPath(context)) };
  }

  @ManagementRoute('POST', KEYS, {
    summary: 'Create a key that belongs to a channel',
    description:
      'At most three for each channel, in addition to the three of the app. Checks and reports with the key are for that channel only, and the key is deleted with it. With `key`, the key has this text: one that apps in the field have already. No other key of the server may have it.',
    body: createChannelKeyBody,
    call: createChannelKey,
    answers: { 201: 'The key, with its plaintext.' },
    refusals: ['CHANNEL_NOT_FOUND'],
  })
  async createChannelKey(context: RequestContext, { name, key, platform }: z.output<typeof createChannelKeyBody>) {
    return { ...(await this.channels.ofPath(context)), name, key, platform };
  }

  @ManagementRoute('PATCH', `${KEYS}/:key/restrictions`, {
    summary: 'Replace the restrictions of a key that belongs to a channel',
    description: 'As for the other keys of the app. The key stays one of its channel.',
    headers: ifMatchHeader,
    body: restrictionsBody,
    bodyRequired: true,
    call: restrictChannelKey,
    ...tagged(restrictChannelKey, 200, 'The updated key.'),
    refusals: ['CHANNEL_NOT_FOUND'],
  })
  async restrictChannelKey(context: RequestContext, body: z.output<typeof restrictionsBody>) {
    const restrictions = restrictionsOf(body, context.request.body);
    return { ...ifRevision(context), ...(await this.keyOf(context)), restrictions };
  }

  @ManagementRoute('POST', `${KEYS}/:key/reveal`, {
    summary: 'Reveal the secret of a key that belongs to a channel',
    call: revealChannelKey,
    answers: { 200: 'The plaintext.' },
    refusals: ['CHANNEL_NOT_FOUND'],
  })
  revealChannelKey(context: RequestContext) {
    return this.keyOf(context);
  }

  @ManagementRoute('DELETE', `${KEYS}/:key`, {
    permission: 'keys.delete',
    summary: 'Delete a key that belongs to a channel immediately and permanently',
    headers: ifMatchHeader,
    call: deleteChannelKey,
    answers: { 200: 'Deleted.' },
    refusals: ['CHANNEL_NOT_FOUND'],
  })
  async deleteChannelKey(context: RequestContext) {
    return { ...ifRevision(context), ...(await this.keyOf(context)) };
  }

  private async keyOf(context: RequestContext) {
    return { ...(await this.channels.ofPath(context)), id: context.id('key') };
  }

  /** With what it may name. */
  private async audienceOf<Audience extends AppChannel['audience'] | undefined>(
    { app, caller }: RequestContext,
    { audience }: { readonly audience?: Audience },
  ) {
    return { audience, names: await this.audiences.namesFor(app, audience, caller) };
  }

  /** @throws ValidationError for a time that is over */
  private inFuture(expiresAt: string | null | undefined): string | null | undefined {
    if (typeof expiresAt !== 'string' || Date.parse(expiresAt) > this.clock.now().getTime()) return expiresAt;
    throw new ValidationError({ expires_at: ['The expires_at must be in the future.'] });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { type Caller, type Channel, devicePlatformSchema, getChannel } from '@sluice/contracts';
import { CHANNEL_NAME, DomainError, isStandardChannel, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import type { RequestContext } from '../http/request-context';

const ruleOf = (field: string) =>
  `The ${field} must be production, staging or development, or another channel of the app: GET /apps/{app}/channels lists them.`;

/** The name of a channel. */
export const channelField = (field: string) =>
  z.string(ruleOf(field)).regex(CHANNEL_NAME, ruleOf(field)).describe(ruleOf(field));

/** Finds the channels that requests name. */
@Injectable()
export class AppChannels {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** @throws ValidationError for the field when the app has no channel of this name */
  async find(appId: number, name: string, field: string, caller: Caller): Promise<Channel> {
    if (isStandardChannel(name)) return name;
    try {
      return (await this.messaging.request(getChannel, { appId, name }, caller)).id;
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'CHANNEL_NOT_FOUND')) throw error;
      throw new ValidationError({ [field]: [ruleOf(field)] });
    }
  }

  /** Empty unless it is the name of a channel that the app does not have. */
  async errorsOf(appId: number, name: unknown, field: string, caller: Caller): Promise<ValidationError['errors']> {
    if (typeof name !== 'string' || !CHANNEL_NAME.test(name)) return {};
    try {
      await this.find(appId, name, field, caller);
      return {};
    } catch (error) {
      if (error instanceof ValidationError) return error.errors;
      throw error;
    }
  }

  /** That of the path, also a standard one. @throws DomainError CHANNEL_NOT_FOUND */
  async ofPath(context: RequestContext): Promise<{ readonly appId: number; readonly channel: Channel }> {
    const { app, caller } = context;
    const { id } = await this.messaging.request(getChannel, { appId: app.id, name: context.param('channel') }, caller);
    return { appId: app.id, channel: id };
  }

  /** Of each member of `default_channels` that names no channel of the app. */
  async errorsOfDefaults(appId: number, defaults: unknown, caller: Caller): Promise<ValidationError['errors']> {
    const named = Object(defaults) as Readonly<Record<string, unknown>>;
    const found = devicePlatformSchema.options.map((platform) =>
      this.errorsOf(appId, named[platform], `default_channels.${platform}`, caller),
    );
    return Object.assign({}, ...(await Promise.all(found))) as ValidationError['errors'];
  }
}

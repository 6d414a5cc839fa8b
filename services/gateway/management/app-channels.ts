import { Inject, Injectable } from '@nestjs/common';
import { type Caller, type Channel, getChannel } from '@sluice/contracts';
import { CHANNEL_NAME, DomainError, isStandardChannel, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';

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
}

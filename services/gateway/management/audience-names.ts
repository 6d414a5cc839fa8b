import { Inject, Injectable } from '@nestjs/common';
import { type Build, type Caller, getGroup } from '@sluice/contracts';
import { type AudienceNames as Names, DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../access/access-state';

/** What audiences of an app may name. */
@Injectable()
export class AudienceNames {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** Of groups those that the audience names. Undefined where there is no audience. */
  async namesFor(
    { id: appId, attributes }: KnownApp,
    audience: Build['audience'] | undefined,
    caller: Caller,
  ): Promise<Names | undefined> {
    if (audience === null || audience === undefined) return undefined;
    const found = (audience.groups ?? []).map((name) => this.exists(appId, name, caller));
    return { attributes, groups: (await Promise.all(found)).flat() };
  }

  private async exists(appId: number, name: string, caller: Caller): Promise<string[]> {
    try {
      await this.messaging.request(getGroup, { appId, name }, caller);
      return [name];
    } catch (error) {
      if (error instanceof DomainError && error.code === 'GROUP_NOT_FOUND') return [];
      throw error;
    }
  }
}

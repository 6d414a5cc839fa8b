import type { Caller } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { PATH_PARAMETERS } from '@sluice/openapi';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownApp, KnownOwner, KnownToken } from '../access/access-state';
import type { Access } from '../access/authentication';

/** What a handler may use of its request. Each member throws where the route's policy does not grant it. */
export class RequestContext {
  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
  ) {}

  /** All that the policy granted. */
  get access(): Access {
    const { access } = this.request;
    if (access === null) throw new DomainError('NOT_FOUND', 'There is nothing at this address.');
    return access;
  }

  /** Who calls, for the bus. */
  get caller(): Caller {
    return this.access.caller;
  }

  /** The access token of a request on the management plane. */
  get token(): KnownToken {
    return this.granted('token');
  }

  /** The owner of a request on the dashboard plane. */
  get owner(): KnownOwner {
    return this.granted('owner');
  }

  /** The app of the path: one that the token reaches, or that is the owner's, or was. */
  get app(): KnownApp {
    return this.granted('app');
  }

  /** A parameter of the path. */
  param(name: string): string {
    return (this.request.params as Readonly<Record<string, string>>)[name] ?? '';
  }

  /**
   * A parameter of the path that is an integer id. Text that is no such id names nothing: it is rejected with the 404 of
   * its resource, which doesn't repeat it, because it may be a credential in the wrong place.
   * @throws DomainError
   */
  id(name: 'build' | 'key' | 'owner' | 'token'): number {
    const text = this.param(name);
    const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (id < 1) throw new DomainError(PATH_PARAMETERS[name].notFound, 'There is nothing with this id here.');
    return id;
  }

  private granted<Member extends keyof Access>(member: Member): NonNullable<Access[Member]> {
    const value = this.access[member];
    if (value === undefined) throw new Error(`The route's policy grants no ${member}.`);
    return value;
  }
}

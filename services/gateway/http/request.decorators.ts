import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import type { FastifyRequest } from 'fastify';
import type { Access } from './authentication';

/** What the route's policy granted. */
export function grantOf<Member extends keyof Access>(
  { access }: Pick<FastifyRequest, 'access'>,
  member: Member,
): NonNullable<Access[Member]> {
  if (access === null) throw new DomainError('NOT_FOUND', 'There is nothing at this address.');
  const value = access[member];
  if (value === undefined) throw new Error(`The route's policy grants no ${member}.`);
  return value;
}

function granted(member: keyof Access) {
  return createParamDecorator((_: unknown, context: ExecutionContext) =>
    grantOf(context.switchToHttp().getRequest<FastifyRequest>(), member),
  );
}

/** Who calls, for the bus. */
export const RequestCaller = granted('caller');
/** The access token of a request on the management plane. */
export const RequestToken = granted('token');
/** The owner of a request on the dashboard plane. */
export const RequestOwner = granted('owner');
/** The app of the path: one that the token reaches, or that is or was the owner's. */
export const RequestApp = granted('app');

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import type { FastifyRequest } from 'fastify';
import type { Access } from './authentication';

/** What the route's policy granted. */
export function grantOf<Member extends keyof Access>(
  request: Pick<FastifyRequest, 'access'>,
  member: Member,
): NonNullable<Access[Member]> {
  const value = accessOf(request)[member];
  if (value === undefined) throw new Error(`The route's policy grants no ${member}.`);
  return value;
}

function accessOf({ access }: Pick<FastifyRequest, 'access'>): Access {
  if (access === null) throw new DomainError('NOT_FOUND', 'There is nothing at this address.');
  return access;
}

function granted(member: keyof Access) {
  return createParamDecorator((_: unknown, context: ExecutionContext) =>
    grantOf(context.switchToHttp().getRequest<FastifyRequest>(), member),
  );
}

/** All that the policy granted. */
export const RequestAccess = createParamDecorator((_: unknown, context: ExecutionContext) =>
  accessOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
/** Who calls, for the bus. */
export const RequestCaller = granted('caller');
/** The access token of a request on the management plane. */
export const RequestToken = granted('token');
/** The owner of a request on the dashboard plane. */
export const RequestOwner = granted('owner');
/** The app of the path: one that the token reaches, or that is the owner's, or was. */
export const RequestApp = granted('app');

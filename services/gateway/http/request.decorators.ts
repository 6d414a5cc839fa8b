import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import type { FastifyRequest } from 'fastify';
import type { Access } from './authentication';

function accessOf(context: ExecutionContext): Access {
  const { access } = context.switchToHttp().getRequest<FastifyRequest>();
  if (access === null) throw new DomainError('NOT_FOUND', 'There is nothing at this address.');
  return access;
}

function granted(member: keyof Access) {
  return createParamDecorator((_: unknown, context: ExecutionContext) => {
    const value = accessOf(context)[member];
    if (value === undefined) throw new Error(`The route's policy grants no ${member}.`);
    return value;
  });
}

/** Who calls, for the bus. */
export const RequestCaller = granted('caller');
/** The access token of a request on the management plane. */
export const RequestToken = granted('token');
/** The owner of a request on the dashboard plane. */
export const RequestOwner = granted('owner');
/** The app of the path: one that the token reaches, or that is or was the owner's. */
export const RequestApp = granted('app');

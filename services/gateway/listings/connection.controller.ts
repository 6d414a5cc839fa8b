import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  completeConnect,
  connectMerchant,
  disconnectMerchant,
  getMerchantAccount,
  getMerchantConnection,
  type Caller,
} from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import { type Fault, faultOf } from '@sluice/http';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { FastifyReply } from 'fastify';
import { Limits } from '../limits/limits';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ListingsRoute, Routes, noRequest } from '../http/route';
import { callbackQuery, consolePage, FORWARDING_HEADERS, forwardingPage, wantsPage } from './plane/callback';
import { listingsCode, success } from './plane/envelope';
import { listingsBase } from './plane/namespace';

/** The remote side is asked more than once. */
export const REMOTE_PATIENCE = { timeoutMs: 30_000 };

@Routes('Connection', 'Access to the merchant account, which its owner grants on the remote side.')
export class ConnectionController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly limits: Limits,
  ) {}

  @ListingsRoute('POST', 'connect', {
    summary: 'Begin a connection: where a browser goes to grant access',
    call: connectMerchant,
    answers: { 200: 'Good for ten minutes, once.' },
    message: 'Open the address in a browser and grant access there, within ten minutes.',
  })
  connectMerchant() {
    const base = listingsBase(this.settings.pluginNamespace);
    return { redirect_uri: `${this.publicUrl()}${base}/listings-ads/oauth/callback` };
  }

  /** A browser comes back from the remote side, with a state that Sluice handed out. */
  @ListingsRoute('GET', 'oauth/callback', {
    open: true,
    summary: 'Where the remote side sends the browser back to',
    description:
      'Ten a minute from one address. A state is used up by the first call that names it. A browser (`Accept: text/html`) is sent on to the console, with `error` in the query when access was not granted; a browser that came too often is answered 429 with a page that leads there.',
    query: [callbackQuery],
    readsQuery: true,
    answers: {
      200: one(completeConnect.reply, 'The store is connected.'),
      303: { kind: 'empty', description: 'To the console.', headers: { Location: 'A page of the console.' } },
    },
    refusals: [
      'invalid_state',
      'access_denied',
      'oauth_client_missing',
      'remote_unavailable',
      'module_disabled',
      'entitlement_required',
    ],
  })
  async completeConnect({ request, reply }: RequestContext) {
    // The address holds the code.
    void reply.headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const { state, code, error } = callbackQuery.safeParse(request.query).data ?? {};
    const caller: Caller = {
      actor: 'system:oauth-callback',
      commandId: newCommandId(),
      ...(request.trace && { traceparent: request.trace.traceparent }),
    };
    const page = wantsPage(request);
    try {
      void reply.headers(await this.limits.callbacks.count(this.limits.addressOf(request.raw), reply));
      const connection = await this.messaging.request(completeConnect, { state, code, error }, caller, REMOTE_PATIENCE);
      if (!page) return success(connection, 'The store is connected.');
      this.sendToConsole(reply);
    } catch (thrown) {
      const fault = faultOf(thrown);
      if (!page || fault.unexpected) throw thrown;
      const code = listingsCode(fault.code, fault.status);
      if (fault.status === 429) return this.forward(reply, fault, code);
      this.sendToConsole(reply, code);
    }
    return undefined;
  }

  @ListingsRoute('POST', 'disconnect', {
    ...REMOTE_PATIENCE,
    summary: 'Drop the connection, and revoke its token on the remote side',
    call: disconnectMerchant,
    answers: { 200: 'The connection is dropped.' },
    message: ({ revocation }) =>
      revocation === 'confirmed'
        ? 'The store is disconnected, and its access is revoked.'
        : 'The store is disconnected. The remote side has not confirmed that its access is revoked; that is tried again.',
  })
  disconnectMerchant = noRequest;

  @ListingsRoute('GET', 'connection', {
    summary: 'Whether the store is connected, and as whom',
    call: getMerchantConnection,
    answers: { 200: 'The connection.' },
    message: ({ connected }) => (connected ? 'The store is connected.' : 'The store is not connected.'),
  })
  getMerchantConnection = noRequest;

  @ListingsRoute('GET', 'merchant', {
    ...REMOTE_PATIENCE,
    summary: 'The merchant account that offers go to',
    call: getMerchantAccount,
    answers: { 200: 'The account.' },
    message: 'The merchant account that offers go to.',
  })
  getMerchantAccount = noRequest;

  /** A page that keeps the status and leads to the console, where a redirect could not say 429. */
  private forward(reply: FastifyReply, { status, headers }: Fault, code: string): string {
    void reply.status(status).headers({ ...headers, ...FORWARDING_HEADERS });
    return forwardingPage(consolePage(this.publicUrl(), code));
  }

  private sendToConsole(reply: FastifyReply, error?: string): void {
    void reply.status(303).header('Location', consolePage(this.publicUrl(), error));
  }
}

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

/** Needs several calls to the merchant API. */
export const REMOTE_PATIENCE = { timeoutMs: 30_000 };

@Routes('Connection', 'Access to the merchant account, which its owner grants at Google.')
export class ConnectionController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly limits: Limits,
  ) {}

  @ListingsRoute('POST', 'connect', {
    summary: 'Start a connection: get the URL at which a browser grants access',
    call: connectMerchant,
    answers: { 200: 'The URL, valid once within ten minutes.' },
    message: 'Open the URL in a browser and grant access within ten minutes.',
  })
  connectMerchant() {
    const base = listingsBase(this.settings.pluginNamespace);
    return { redirect_uri: `${this.publicUrl()}${base}/listings-ads/oauth/callback` };
  }

  /** A browser returns from Google with a state that Sluice issued. */
  @ListingsRoute('GET', 'oauth/callback', {
    open: true,
    summary: 'OAuth callback for browsers that return from Google',
    description:
      'At most ten requests a minute from one address. A state is valid for one request. A browser (`Accept: text/html`) is redirected to the console, with `error` in the query if access was not granted. Over the limit it gets 429 with a page that links to the console.',
    query: [callbackQuery],
    readsQuery: true,
    answers: {
      200: one(completeConnect.reply, 'The shop is connected.'),
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
    // The URL contains the authorization code.
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
      if (!page) return success(connection, 'The shop is connected.');
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
    summary: 'Disconnect the merchant account and revoke the OAuth grant',
    call: disconnectMerchant,
    answers: { 200: 'The merchant account is disconnected.' },
    message: ({ revocation }) =>
      revocation === 'confirmed'
        ? 'The merchant account is disconnected, and the access is revoked.'
        : 'The merchant account is disconnected. Google has not confirmed yet that the access is revoked. The server retries.',
  })
  disconnectMerchant = noRequest;

  @ListingsRoute('GET', 'connection', {
    summary: 'Get whether the shop is connected, and to which account',
    call: getMerchantConnection,
    answers: { 200: 'The connection.' },
    message: ({ connected }) => (connected ? 'The shop is connected.' : 'The shop is not connected.'),
  })
  getMerchantConnection = noRequest;

  @ListingsRoute('GET', 'merchant', {
    ...REMOTE_PATIENCE,
    summary: 'Get the merchant account that receives the offers',
    call: getMerchantAccount,
    answers: { 200: 'The account.' },
    message: 'The merchant account that receives the offers.',
  })
  getMerchantAccount = noRequest;

  /** A page with the status 429 that leads to the console, because a redirect can't have that status. */
  private forward(reply: FastifyReply, { status, headers }: Fault, code: string): string {
    void reply.status(status).headers({ ...headers, ...FORWARDING_HEADERS });
    return forwardingPage(consolePage(this.publicUrl(), code));
  }

  private sendToConsole(reply: FastifyReply, error?: string): void {
    void reply.status(303).header('Location', consolePage(this.publicUrl(), error));
  }
}

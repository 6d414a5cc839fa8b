import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  completeConnect,
  connectMerchant,
  disconnectMerchant,
  getMerchantAccount,
  getMerchantConnection,
  type Caller,
} from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/engines';
import { type Fault, faultOf } from '@sluice/http';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Limits } from '../limits';
import { RequestCaller } from '../request.decorators';
import { callbackQuery, consolePage, FORWARDING_HEADERS, forwardingPage, wantsPage } from './callback';
import { listingsCode, success } from './envelope';
import { listingsBase } from './namespace';

/** The remote side is asked more than once. */
export const REMOTE_PATIENCE = { timeoutMs: 30_000 };

@Controller('svc/v1/listings-ads')
export class ConnectionController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly limits: Limits,
  ) {}

  @Post('connect')
  @HttpCode(200)
  async connect(@RequestCaller() caller: Caller) {
    const base = listingsBase(this.settings.pluginNamespace);
    const redirectUri = `${this.publicUrl()}${base}/listings-ads/oauth/callback`;
    const begun = await this.messaging.request(connectMerchant, { redirect_uri: redirectUri }, caller);
    return success(begun, 'Open the address in a browser and grant access there, within ten minutes.');
  }

  @Get('oauth/callback')
  async callback(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
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

  @Post('disconnect')
  @HttpCode(200)
  async disconnect(@RequestCaller() caller: Caller) {
    const done = await this.messaging.request(disconnectMerchant, {}, caller, REMOTE_PATIENCE);
    const message =
      done.revocation === 'confirmed'
        ? 'The store is disconnected, and its access is revoked.'
        : 'The store is disconnected. The remote side has not confirmed that its access is revoked; that is tried again.';
    return success(done, message);
  }

  @Get('connection')
  async connection(@RequestCaller() caller: Caller) {
    const connection = await this.messaging.request(getMerchantConnection, {}, caller);
    return success(connection, connection.connected ? 'The store is connected.' : 'The store is not connected.');
  }

  @Get('merchant')
  async merchant(@RequestCaller() caller: Caller) {
    const account = await this.messaging.request(getMerchantAccount, {}, caller, REMOTE_PATIENCE);
    return success(account, 'The merchant account that offers go to.');
  }

  /** A page that keeps the status and leads to the console, where a redirect could not say 429. */
  private forward(reply: FastifyReply, { status, headers }: Fault, code: string): string {
    void reply.status(status).headers({ ...headers, ...FORWARDING_HEADERS });
    return forwardingPage(consolePage(this.publicUrl(), code));
  }

  private sendToConsole(reply: FastifyReply, error?: string): void {
    void reply.status(303).header('Location', consolePage(this.publicUrl(), error));
  }
}

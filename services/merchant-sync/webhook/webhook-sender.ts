import { type Agent, fetch, type Response } from 'undici';
import { AddressRefusedError, type AddressRules, assertAllowedUrl, guardedAgent } from '../sources/guarded-agent';

export interface WebhookRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: AddressRules;
  readonly timeoutMs: number;
  /** Ends the request early. */
  readonly signal: AbortSignal;
}

/** Sends webhooks to allowed addresses. Redirects are not followed. */
export class WebhookSender {
  /** By `allowLoopback`: all other rules are the same in a process. */
  private readonly agents = new Map<boolean, Agent>();

  /** Resolves with what `read` makes of a 2xx response; or what is wrong, without the address and the response. */
  async post<Result>(
    url: string,
    { body, headers, rules, timeoutMs, signal }: WebhookRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<{ readonly result: Result } | { readonly fault: string }> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const address = new URL(url);
      assertAllowedUrl(address, rules);
      const dispatcher = this.agents.get(rules.allowLoopback) ?? guardedAgent(rules, timeoutMs);
      this.agents.set(rules.allowLoopback, dispatcher);
      const response = await fetch(address, {
        ...{ method: 'POST', body, dispatcher, redirect: 'manual' },
        signal: AbortSignal.any([timeout, signal]),
        headers: { 'Content-Type': 'application/json', 'User-Agent': 'Sluice', ...headers },
      });
      if (response.ok) return { result: await read(response) };
      const { status } = response;
      await response.body?.cancel();
      const redirect = status >= 300 && status < 400;
      return { fault: `The webhook answered ${status}${redirect ? '; redirects are not followed' : ''}.` };
    } catch (error) {
      return { fault: faultOf(error, timeout) };
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.destroy()));
  }
}

function faultOf(error: unknown, timeout: AbortSignal): string {
  if (timeout.aborted) return 'The webhook did not answer in time.';
  const cause = (error as { readonly cause?: unknown } | undefined)?.cause ?? error;
  if (cause instanceof AddressRefusedError) return cause.message;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return `The connection to the webhook failed${typeof code === 'string' ? ` (${code})` : ''}.`;
}

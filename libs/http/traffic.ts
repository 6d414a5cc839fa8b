import type { IncomingMessage } from 'node:http';

export interface TrafficFacts {
  readonly requests: number;
  readonly busiestAddress: string | null;
  /** 0 to 1. */
  readonly busiestShare: number;
  /** 0 to 1. */
  readonly forwardedShare: number;
}

/** One window after the other; an address that is new once so many are known counts among the others alone. */
const WINDOW_REQUESTS = 100_000;
const MAX_ADDRESSES = 1_000;
/** Before a window holds so many, the one before it says more. */
const ENOUGH = 1_000;

/** Counts requests by the address of their connection, in bounded memory. */
export class TrafficCount {
  #requests = 0;
  #forwarded = 0;
  #byAddress = new Map<string, number>();
  #before: TrafficFacts | undefined;

  count({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): void {
    if (this.#requests === WINDOW_REQUESTS) this.#beginWindow();
    this.#requests += 1;
    if (headers['x-forwarded-for'] !== undefined) this.#forwarded += 1;
    const address = socket.remoteAddress ?? 'unknown';
    const known = this.#byAddress.get(address);
    if (known !== undefined || this.#byAddress.size < MAX_ADDRESSES) this.#byAddress.set(address, (known ?? 0) + 1);
  }

  /** Of the present window, or the one before while that says more. */
  facts(): TrafficFacts {
    return this.#before !== undefined && this.#requests < ENOUGH ? this.#before : this.#present();
  }

  #present(): TrafficFacts {
    let busiestAddress: string | null = null;
    let most = 0;
    for (const [address, requests] of this.#byAddress) {
      if (requests > most) [busiestAddress, most] = [address, requests];
    }
    const all = Math.max(1, this.#requests);
    return {
      requests: this.#requests,
      busiestAddress,
      busiestShare: most / all,
      forwardedShare: this.#forwarded / all,
    };
  }

  #beginWindow(): void {
    this.#before = this.#present();
    this.#requests = 0;
    this.#forwarded = 0;
    this.#byAddress = new Map();
  }
}

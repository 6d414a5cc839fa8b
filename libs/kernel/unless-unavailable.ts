import { isUnavailable } from './domain-error';

/** Undefined where the service, or an engine that it needs, is unavailable. */
export async function unlessUnavailable<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}

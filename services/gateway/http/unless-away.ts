import { DomainError } from '@sluice/kernel';

/** Undefined where the service, or an engine that it needs, is unavailable. */
export async function unlessAway<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    const { name } = error as Error;
    const away = error instanceof DomainError && error.code === 'SERVICE_UNAVAILABLE';
    if (away || name.endsWith('StoreUnavailableError')) return undefined;
    throw error;
  }
}

import { DomainError } from '@sluice/kernel';
import { reauthRequired } from '../settings/domain/merchant';
import { RemoteError } from '../remotes/remote-catalog';

/** Maps a fault of the merchant API to the error that clients receive; returns any other error unchanged. */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof RemoteError)) return error;
  const { fault, message, detail } = error;
  const wait = detail.retryAfterMs === undefined ? {} : { retry_after: detail.retryAfterMs / 1_000 };
  switch (fault) {
    case 'reauth_required':
      return reauthRequired();
    case 'rate_limited':
    case 'daily_quota':
    case 'too_many_items':
      return new DomainError('remote_quota_exceeded', `Google accepts no more requests for now. ${message}`, wait);
    case 'sunset':
      return new DomainError('remote_api_sunset', `The configured merchant API has been shut down. ${message}`);
    case 'forbidden':
      return new DomainError('account_inaccessible', `Google rejects this grant. ${message}`);
    case 'unavailable':
    case 'timeout':
    case 'refused':
      return new DomainError('remote_unavailable', `Google gave no usable response. ${message}`);
  }
}

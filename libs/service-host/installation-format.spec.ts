import type { Replica } from '@sluice/contracts';
import { specify } from '@sluice/testing';
import { installation, type InstallationFormatRaised } from './installation-format';
import { UnknownEventError } from '@sluice/kernel';

const replica = (service: string, format: number | null, name: string | null = `${service}-1`): Replica => ({
  ...{ service, name, release: '0.1.0', format },
});
const raised = (format: number): InstallationFormatRaised => ({ type: 'InstallationFormatRaised', data: { format } });
const { given } = specify(installation);

describe('the installation format', () => {
  it('is 0 before the first event, then that of the last event', () => {
    expect([given().state, given(raised(1)).state, given(raised(1), raised(3)).state]).toEqual([
      { format: 0 },
      { format: 1 },
      { format: 3 },
    ]);
  });

  it('is raised when every replica supports it', () => {
    given()
      .when({ format: 1, replicas: [replica('gateway', 1), replica('keys', 2)] })
      .then(raised(1));
  });

  it('is not lowered, and not raised twice, whichever replicas run', () => {
    const former = [replica('keys', null)];
    given(raised(2)).when({ format: 1, replicas: former }).then();
    given(raised(2)).when({ format: 2, replicas: former }).then();
  });

  it('is not raised while a replica does not support it or a service has no replica, and names both', () => {
    const replicas = [replica('gateway', 2), replica('device-updates', 1), replica('keys', null, null)];
    const message =
      'Every replica must run a release that supports installation format 2. These do not: device-updates (device-updates-1), keys (no replica responds). Replace or stop them, then try again.';
    given(raised(1))
      .when({ format: 2, replicas })
      .rejects({ code: 'UPGRADE_BLOCKED', message, details: { replicas: replicas.slice(1) } });
  });

  it('rejects an event of a newer release', () => {
    expect(() => installation.evolve({ format: 1 }, { type: 'InstallationSplit' } as never, '', '')).toThrow(
      UnknownEventError,
    );
  });
});

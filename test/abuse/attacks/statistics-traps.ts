import { expectThat, type Attack } from '../target';

const ERRORS = ['\\ud800', '\\udfff', '\\u0000one', '\\ud800\\u0000', 'a\\udc00b'];

let tokens: string[];

export const statisticsTraps: Attack = {
  name: 'statistics-traps',
  does: 'asks for days at the end of the calendar and for statistics of errors that hold half characters and NUL',
  wants: [200, 422],
  prepare(target) {
    tokens = [target.token(), target.token(), target.token()];
  },
  async run(target, signal) {
    const send = target.pool(8);
    const { app, build, bundleId, apiKey } = target.scene;
    const base = `/api/public/v1/apps/${app}`;
    const paths = [
      `${base}/adoption?from=9999-12-31&to=9999-12-31`,
      `${base}/builds/${build}/stats?to=9999-12-31`,
      `${base}/adoption?to=0000-01-15`,
      `${base}/builds/${build}/stats`,
    ];
    await target.repeat(
      signal,
      8,
      (n) => {
        if (n % 2 === 0) {
          return send({ path: paths[(n / 2) % paths.length]!, bearer: tokens[n % tokens.length]! }, signal);
        }
        const headers = { 'X-API-Key': apiKey, 'X-Device-ID': target.text(32) };
        const body = `{"bundle_id":"${bundleId}","status":"failed","error":"${ERRORS[n % ERRORS.length]}"}`;
        const from = `10.5.${target.round}.1`;
        return send({ method: 'POST', path: '/api/v1/analytics/install', from, headers, body }, signal);
      },
      50,
    );
  },
  async check(target) {
    const { app, build } = target.scene;
    const path = `/api/public/v1/apps/${app}/builds/${build}/stats`;
    const { data } = await target.prepared<{ data: { totals: { install_failures: number } } }>({
      ...{ path, bearer: target.token() },
    });
    expectThat(data.totals.install_failures > 0, 'The statistics hold no failed install.');
  },
};

import { versionOf } from './history';
import { benchPlane, PLANE_BUILDS } from './plane-check';

/** Update checks of Capgo's clients per second. */
benchPlane('capgo-check', {
  request(n, apiKey) {
    const body = JSON.stringify({
      ...{ platform: 'ios', device_id: `7f9c24e8-${String(n).padStart(9, '0')}`, app_id: 'com.example.app' },
      ...{ custom_id: '', version_build: '1.0.0', version_code: '7', version_os: '17.4', plugin_version: '8.51.23' },
      ...{ version_name: (n & 1) === 1 ? versionOf(PLANE_BUILDS) : 'builtin', is_emulator: false, is_prod: true },
      ...{ install_source: 'app_store', defaultChannel: '' },
    });
    const head = `POST /compat/capgo/${apiKey}/updates HTTP/1.1\r\nHost: updates\r\nContent-Type: application/json\r\n`;
    return `${head}User-Agent: CapacitorUpdater/8.51.23 (com.example.app) ios/17.4\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  },
  isRight(n, body) {
    const { version, kind } = JSON.parse(body) as { readonly version?: string; readonly kind?: string };
    return (n & 1) === 1 ? kind === 'up_to_date' : version !== undefined && kind === undefined;
  },
});

/** The configuration of a client, in the first steps of an app and on its screen “API keys”. */
import type { Channel } from '@sluice/contracts';

export const configure = 'Configure your app…';
export const title = 'Configure your app';
export const withKey = 'Replace YOUR_KEY by one of the API keys of the app. “Show” in the menu of a key shows it.';
export const step = 'Configure your app. Which client does it use?';
export const client = 'Client';
export const configuration = 'the configuration';
export const inFile = (file: string): string => `In ${file}:`;
export const guide = 'Guide';

export interface ClientValues {
  /** The address for devices. */
  readonly server: string;
  readonly key: string;
  readonly channel: Channel;
  /** The app. */
  readonly id: number;
  readonly bundleId: string;
  readonly platform: 'android' | 'ios';
}

interface Client {
  readonly name: string;
  /** Where its configuration belongs. */
  readonly file: string;
  /** In the documentation. */
  readonly guide: string;
  /** As in the guide, with these values. */
  readonly configuration: (values: ClientValues) => string;
}

/** In addresses without a channel of their own, the key names it. */
const keyOf = ({ key, channel }: ClientValues): string => (channel === 'production' ? key : `${key}-${channel}`);

/** The clients that a new app can use. A test compares the configurations with those of the guides. */
export const CLIENTS = {
  capgo: {
    name: 'Capacitor, with Capgo’s plugin',
    file: 'capacitor.config.ts',
    guide: 'coming-from-capgo',
    configuration: (values) => `const config: CapacitorConfig = {
  plugins: {
    CapacitorUpdater: {
      updateUrl: '${values.server}/compat/capgo/${keyOf(values)}/updates',
      statsUrl: '${values.server}/compat/capgo/${keyOf(values)}/stats',
      channelUrl: '${values.server}/compat/capgo/${keyOf(values)}/channel',
    },
  },
};`,
  },
  codepushIos: {
    name: 'React Native CodePush, iOS',
    file: 'Info.plist',
    guide: 'coming-from-codepush',
    configuration: (values) => `<key>CodePushServerURL</key>
<string>${values.server}/compat/codepush</string>
<key>CodePushDeploymentKey</key>
<string>${keyOf(values)}</string>`,
  },
  codepushAndroid: {
    name: 'React Native CodePush, Android',
    file: 'strings.xml',
    guide: 'coming-from-codepush',
    configuration: (values) =>
      `<string moduleConfig="true" name="CodePushServerUrl">${values.server}/compat/codepush</string>
<string moduleConfig="true" name="CodePushDeploymentKey">${keyOf(values)}</string>`,
  },
  expo: {
    name: 'Expo Updates',
    file: 'app.json',
    guide: 'coming-from-expo',
    configuration: ({ server, key, channel }) => `{
  "expo": {
    "runtimeVersion": "1.0.0",
    "updates": {
      "url": "${server}/compat/expo/${key}",
      "requestHeaders": { "expo-channel-name": "${channel}" }
    }
  }
}`,
  },
  hotUpdater: {
    name: 'hot-updater',
    file: 'App.tsx',
    guide: 'coming-from-hot-updater',
    configuration: ({ server, key, channel }) => `${
      channel === 'production'
        ? ''
        : `// The native app names the channel: set HOT_UPDATER_CHANNEL in Info.plist, and
// on Android the string hot_updater_channel, to ${channel}.
`
    }export default HotUpdater.wrap({
  baseURL: '${server}/compat/hot-updater/${key}',
  updateStrategy: 'appVersion',
})(App);`,
  },
  nativeUpdate: {
    name: 'Capacitor, with native-update 3.1.3 or later',
    file: 'the code that starts your app',
    guide: 'clients',
    configuration: ({ server, key, channel, bundleId }) => `await NativeUpdate.configure({
  liveUpdate: {
    appId: '${bundleId}',
    serverUrl: '${server}/api',
    apiKey: '${key}',
    channel: '${channel}',
  },
});`,
  },
  device: {
    name: '@sluice/device: web, Electron, Node',
    file: 'the environment of the code in the guide',
    guide: 'clients',
    configuration: ({ server, key, channel, id }) => `export SLUICE_SERVER=${server}
export APP_KEY=${key}
export APP_ID=${id}
export CHANNEL=${channel}`,
  },
  curl: {
    name: 'A client of your own: the requests, with curl',
    file: 'a shell',
    guide: 'clients',
    configuration: ({ server, key, channel, platform }) =>
      `curl -s '${server}/api/v1/updates/check?channel=${channel}' -H "X-API-Key: ${key}" -H 'X-Device-ID: phone-1' \\
  -H 'X-Current-Version: 0.0.1' -H 'X-Platform: ${platform}' -H 'X-App-Version: 3.2' > answer.json
curl -s -o bundle.zip "$(node -p 'require("./answer.json").downloadUrl')"
node -p 'require("./answer.json").checksum + "  bundle.zip"' | sha256sum -c`,
  },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientName = keyof typeof CLIENTS;

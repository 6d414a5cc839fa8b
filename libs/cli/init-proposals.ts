import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coerce } from 'semver';

export interface Proposals {
  readonly app?: string;
  readonly folder?: string;
}

const CAPACITOR = ['capacitor.config.json', 'capacitor.config.ts', 'capacitor.config.js', 'capacitor.config.mjs'];
/** Where common tools write a web build, by the package that brings the tool. */
const OUTPUTS: Readonly<Record<string, string>> = {
  expo: 'dist',
  'react-scripts': 'build',
  '@sveltejs/kit': 'build',
  next: 'out',
  '@stencil/core': 'www',
  vite: 'dist',
  '@vue/cli-service': 'dist',
};
const FOLDERS = ['dist', 'www', 'build', 'out'];

/** What the other configuration files of an app in this folder suggest. Nothing of the app is executed. */
export function proposalsOf(folder: string): Proposals {
  const read = (name: string) => textOf(join(folder, name));
  const capacitor = CAPACITOR.map(read).find((text) => text !== undefined) ?? '';
  const { appId, webDir } = literalsOf(capacitor);
  const expo = asObject(asObject(asJson(read('app.json'))).expo);
  const { dependencies, devDependencies } = asObject(asJson(read('package.json')));
  const packages = { ...asObject(dependencies), ...asObject(devDependencies) };

  const app = [appId, asObject(expo.ios).bundleIdentifier, asObject(expo.android).package].find(isText);
  const output = Object.entries(OUTPUTS).find(([name]) => name in packages)?.[1];
  const web = webDir ?? output ?? FOLDERS.find((name) => existsSync(join(folder, name)));
  return { ...(app !== undefined && { app }), ...(web !== undefined && { folder: web }) };
}

/**
 * The members `appId` and `webDir` of a Capacitor configuration, where they are plain strings. The configuration is code
 * of the app, so it is read and not executed: comments and other strings are skipped.
 */
export function literalsOf(code: string): { readonly appId?: string; readonly webDir?: string } {
  const tokens =
    /\/\/.*|\/\*[\s\S]*?\*\/|\b(appId|webDir)["']?\s*:\s*(["'`])((?:(?!\2)[^\\\n$])*)\2|(["'`])(?:\\[\s\S]|(?!\4)[^\\])*\4/g;
  const quoted = /["'](?=(?:appId|webDir)["']\s*:)/g;
  const found = [...code.replace(quoted, '').matchAll(tokens)].filter(([, name]) => name !== undefined);
  return Object.fromEntries(found.map(([, name, , value]): [string, string] => [name ?? '', value ?? '']));
}

export interface NativeVersion {
  readonly platform: 'ios' | 'android';
  readonly version: string;
  /** Below the folder. */
  readonly file: string;
}

const NATIVE_FILES = [
  ['android', 'android/app/build.gradle', /^\s*versionName\s*=?\s*["']([^"'$]+)["']/m],
  ['android', 'android/app/build.gradle.kts', /^\s*versionName\s*=\s*"([^"$]+)"/m],
  ['ios', 'ios/App/App.xcodeproj/project.pbxproj', /^\s*MARKETING_VERSION\s*=\s*"?([0-9][^";$]*)"?\s*;/m],
] as const;

/** The versions of the native apps that are built in this folder, where their files have them as plain text. */
export function nativeVersionsOf(folder: string): NativeVersion[] {
  return NATIVE_FILES.flatMap(([platform, file, pattern]) => {
    const [, found] = pattern.exec(textOf(join(folder, file)) ?? '') ?? [];
    const version = coerce(found)?.version;
    return version === undefined ? [] : [{ platform, version, file }];
  });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function asJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

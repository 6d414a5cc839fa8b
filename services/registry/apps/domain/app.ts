import {
  type AttributeType,
  type AttributeTypes,
  type Channel,
  DomainError,
  type ExpectsRevision,
  MAX_ATTRIBUTES,
  requireName,
  requireRevision,
  STANDARD_CHANNELS,
  unknownEvent,
  ValidationError,
  type Decider,
} from '@sluice/kernel';
import { templateNotFound } from '../../plan-templates/domain/plan-templates';
import type { AppRegistration, Apps, RegisteredApp } from './apps';

/** Who, besides the owner, may create, rotate and retire the signing keys of an app: every token of it, or none. */
export type SigningKeyRotation = 'any_token' | 'owner_only';

/** By channel: a percentage of the devices, or the name of a plan template. */
export interface DefaultRollout {
  readonly production?: number | string;
  readonly staging?: number | string;
  readonly development?: number | string;
}

/** By platform of the device; `all` is for those that are left out. */
export interface DefaultChannels {
  readonly ios?: string;
  readonly android?: string;
  readonly web?: string;
  readonly all?: string;
}

export type ChannelAliases = Readonly<Record<string, Channel>>;

/** What the owner of an app decides about it. */
export interface AppPolicy {
  readonly signingKeyRotation: SigningKeyRotation;
  /** Whether an upload is rejected whose signature another version of the app carries. */
  readonly uniqueSignatures: boolean;
  /** How many builds of each channel the retention keeps: 0 for all, null for what the installation sets. */
  readonly keepBuilds: number | null;
  /** What people are proposed for a new build. */
  readonly defaultRollout: DefaultRollout;
  /** What devices may send of themselves. */
  readonly attributes: AttributeTypes;
  /** Of devices that name none. */
  readonly defaultChannels: DefaultChannels;
  /** By alias, the id of a channel, which may be deleted: the alias is then of no effect. */
  readonly channelAliases: ChannelAliases;
}

/** Of an app whose owner has decided nothing. */
export const DEFAULT_APP_POLICY: AppPolicy = {
  signingKeyRotation: 'any_token',
  uniqueSignatures: false,
  keepBuilds: null,
  defaultRollout: {},
  attributes: {},
  defaultChannels: {},
  channelAliases: {},
};

/** What of an app can be changed. */
export type AppDetails = Pick<AppRegistration, 'name' | 'description' | 'platform'> & AppPolicy;

/** Null: none any longer. */
type RolloutEdits = { readonly [Channel in keyof DefaultRollout]?: number | string | null | undefined };
type ChannelEdits = { readonly [Platform in keyof DefaultChannels]?: string | null | undefined };

export type AppCommand =
  | ({
      readonly type: 'EditApp';
      readonly id: number;
      /** As the app was registered. */
      readonly registered: Omit<AppDetails, keyof AppPolicy>;
      /** What is left out stays as it is. */
      readonly edits: {
        readonly [
          Name in Exclude<keyof AppDetails, 'defaultRollout' | 'attributes' | 'defaultChannels' | 'channelAliases'>
        ]?: AppDetails[Name] | undefined;
      } & {
        readonly defaultRollout?: RolloutEdits | null | undefined;
        /** Null removes one. */
        readonly attributes?: Readonly<Record<string, AttributeType | null>> | undefined;
        readonly defaultChannels?: ChannelEdits | null | undefined;
        /** Null removes one, or all of them. */
        readonly channelAliases?: Readonly<Record<string, Channel | null>> | null | undefined;
      };
      /** The names of the app's plan templates, where the edit has a default rollout. */
      readonly templates?: readonly string[] | undefined;
      /** The ids of the app's channels, where the edit has aliases. */
      readonly channels?: readonly Channel[] | undefined;
    } & ExpectsRevision)
  | ({ readonly type: 'StartRemoval'; readonly id: number } & ExpectsRevision);

export type AppEvent =
  | { readonly type: 'AppEdited'; readonly data: Partial<AppDetails> & { readonly id: number } }
  | { readonly type: 'AppRemovalStarted'; readonly data: { readonly id: number } };

export interface AppState {
  /** What differs from the registration, or once did. */
  readonly edits: Partial<AppDetails>;
  /** 1 after the registration, and 1 more with each edit. */
  readonly revision: number;
  readonly removing: boolean;
}

/** Stream `app-{id}`: what became of one app after its registration. */
export const appStream = (id: number) => `app-${id}`;

export const app: Decider<AppState, AppCommand, AppEvent> = {
  initialState: () => ({ edits: {}, revision: 1, removing: false }),

  decide: (command, state) => {
    if (state.removing) throw appNotFound();
    const { id } = command;
    requireRevision('APP_CHANGED', `App ${id}`, state.revision, command);
    switch (command.type) {
      case 'EditApp': {
        requireName(command.edits.name);
        const now: AppDetails = { ...DEFAULT_APP_POLICY, ...command.registered, ...state.edits };
        const { name = now.name, description = now.description, platform = now.platform } = command.edits;
        const { signingKeyRotation = now.signingKeyRotation, uniqueSignatures = now.uniqueSignatures } = command.edits;
        const { keepBuilds = now.keepBuilds } = command.edits;
        const defaultRollout = editRollout(now.defaultRollout, command);
        const attributes = editAttributes(now.attributes, command.edits.attributes);
        const defaultChannels = editMembers(PLATFORMS, now.defaultChannels, command.edits.defaultChannels);
        const channelAliases = editAliases(now.channelAliases, command);
        const edits: Partial<AppDetails> = {
          ...(name !== now.name && { name }),
          ...(description !== now.description && { description }),
          ...(platform !== now.platform && { platform }),
          ...(signingKeyRotation !== now.signingKeyRotation && { signingKeyRotation }),
          ...(uniqueSignatures !== now.uniqueSignatures && { uniqueSignatures }),
          ...(keepBuilds !== now.keepBuilds && { keepBuilds }),
          ...(defaultRollout !== now.defaultRollout && { defaultRollout }),
          ...(attributes !== now.attributes && { attributes }),
          ...(defaultChannels !== now.defaultChannels && { defaultChannels }),
          ...(channelAliases !== now.channelAliases && { channelAliases }),
        };
        return Object.keys(edits).length === 0 ? [] : [{ type: 'AppEdited', data: { id, ...edits } }];
      }
      case 'StartRemoval':
        return [{ type: 'AppRemovalStarted', data: { id } }];
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'AppEdited':
        return { ...state, edits: { ...state.edits, ...event.data }, revision: state.revision + 1 };
      case 'AppRemovalStarted':
        return { ...state, removing: true };
      default:
        return unknownEvent(event);
    }
  },
};

/** The same object if nothing changes. @throws DomainError PLAN_TEMPLATE_NOT_FOUND */
function editRollout(
  now: DefaultRollout,
  { edits: { defaultRollout: edits = {} }, templates = [] }: Extract<AppCommand, { type: 'EditApp' }>,
): DefaultRollout {
  for (const edited of Object.values(edits ?? {})) {
    if (typeof edited === 'string' && !templates.includes(edited)) throw templateNotFound(templates);
  }
  return editMembers(STANDARD_CHANNELS, now, edits);
}

const PLATFORMS = ['ios', 'android', 'web', 'all'] as const;

/** The same object if nothing changes. Edits: null removes a member, or all of them; what is left out stays. */
function editMembers<Name extends string, Value>(
  names: readonly Name[],
  now: { readonly [Member in Name]?: Value },
  edits: { readonly [Member in Name]?: Value | null | undefined } | null = {},
): { readonly [Member in Name]?: Value } {
  const after = names.map((name) => {
    const edited = edits === null ? null : edits[name];
    return [name, edited === undefined ? now[name] : (edited ?? undefined)] as const;
  });
  if (after.every(([name, value]) => value === now[name])) return now;
  return Object.fromEntries(after.filter(([, value]) => value !== undefined)) as { [Member in Name]?: Value };
}

/** The same object if nothing changes. @throws ValidationError for more than 8 of them */
function editAttributes(
  now: AttributeTypes,
  edits: Readonly<Record<string, AttributeType | null>> = {},
): AttributeTypes {
  const after = Object.entries({ ...now, ...edits }).filter(
    (entry): entry is [string, AttributeType] => entry[1] !== null,
  );
  if (after.length > MAX_ATTRIBUTES) {
    throw new ValidationError({
      attributes: [
        `An app may declare at most ${MAX_ATTRIBUTES} attributes. With this request it would have ${after.length}. Remove some with null.`,
      ],
    });
  }
  return orSame(now, after);
}

export const MAX_ALIASES = 100;

/** The same object if nothing changes. Drops those of deleted channels. @throws ValidationError for more than 100 of them */
function editAliases(
  now: ChannelAliases,
  { edits: { channelAliases: edits }, channels = [] }: Extract<AppCommand, { type: 'EditApp' }>,
): ChannelAliases {
  if (edits === undefined) return now;
  const after = Object.entries(edits === null ? {} : { ...now, ...edits }).filter(
    (entry): entry is [string, Channel] => entry[1] !== null && channels.includes(entry[1]),
  );
  if (after.length > MAX_ALIASES) {
    throw new ValidationError({
      channel_aliases: [
        `An app may have at most ${MAX_ALIASES} aliases. With this request it would have ${after.length}. Remove some with null.`,
      ],
    });
  }
  return orSame(now, after);
}

/** The object of the entries; the same one if they are its own. */
function orSame<Value>(now: Readonly<Record<string, Value>>, after: readonly (readonly [string, Value])[]) {
  const isSame =
    after.length === Object.keys(now).length &&
    after.every(([name, value]) => Object.hasOwn(now, name) && now[name] === value);
  return isSame ? now : Object.fromEntries(after);
}

/** @throws DomainError APP_NOT_FOUND, for a removed app too */
export function registeredApp(state: Apps, id: number): RegisteredApp {
  const registered = state.registered.get(id);
  if (registered === undefined) throw appNotFound();
  return registered;
}

export function appNotFound(): DomainError {
  return new DomainError('APP_NOT_FOUND', 'There is no such app.');
}

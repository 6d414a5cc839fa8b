import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type ApiKey,
  type BlockedCallers,
  type Caller,
  type ChannelKey,
  countBlockedCallers,
  createApiKey,
  createChannelKey,
  credentialHash,
  credentialPreview,
  deleteApiKey,
  deleteChannelKey,
  deprecateApiKey,
  getApiKey,
  listApiKeys,
  listChannelKeys,
  newCredential,
  recordApiKeyUse,
  type RequestOf,
  restrictApiKey,
  restrictChannelKey,
  revealApiKey,
  revealChannelKey,
  revokeApiKey,
  rotateApiKey,
} from '@sluice/contracts';
import { findPage, ReadStore, StateStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, createSequence, type Handled, type Sequence } from '@sluice/event-store';
import { type Clock, DomainError, newUlid } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { CLOCK, requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { dropFormerSeals, sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import { type ApiKeyUsage, apiKeyUsage, recordUses } from './api-key-usage';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';
import {
  API_KEY_SEALS,
  type ApiKeyCommand,
  type ApiKeyEvent,
  apiKeyNotFound,
  type ApiKeyFacts,
  type ApiKeys,
  apiKeys,
  type ApiKeySecret,
  apiKeysStream,
  type ApiKeyState,
  type CreateApiKey,
  existingKey,
  usableKey,
} from './domain/api-keys';
import { keyTaken, type KeyText, keyText, keyTextStream } from './domain/key-text';

/** A text that was taken for a key is free again if that key is not there after this time, longer than a request takes. */
const TAKING_MS = 60_000;

@Injectable()
export class ApiKeyHandlers {
  private readonly ids: Sequence;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly readStore: ReadStore,
    private readonly state: StateStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'apiKeyRecovery'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ids = createSequence({ commands, name: 'keys' });
  }

  @HandlesCommand(createApiKey)
  create({ appId, name }: RequestOf<typeof createApiKey>, caller: Caller) {
    return this.createIn(apiKeysStream(appId), { appId, name }, caller);
  }

  @HandlesCommand(createChannelKey)
  async createForChannel({ key: text, platform, ...key }: RequestOf<typeof createChannelKey>, caller: Caller) {
    await requireFormat(this.commands, TARGETING_FORMAT);
    const facts = { ...key, ...(platform !== undefined && { platform }) };
    return this.createIn(apiKeysStream(key.appId, key.channel), facts, caller, text);
  }

  /** @param text of an imported key; undefined: a new secret */
  private async createIn(
    stream: string,
    key: Pick<ApiKeyFacts, 'appId' | 'channel' | 'name' | 'platform'>,
    caller: Caller,
    text?: string,
  ) {
    const id = await this.ids.next(caller);
    const issued = await this.issue(async (secret) => {
      const command: CreateApiKey = { type: 'CreateApiKey', key: { id, ...key, ...secret } };
      return this.apply(stream, text === undefined ? command : await this.taking(command, stream, caller), caller);
    }, text);
    const created = issued.events.find((event) => event.type === 'ApiKeyCreated')?.data;
    if (created === undefined) throw new Error(`The command ${caller.commandId} created no API key.`);
    return this.shown(issued, created.id);
  }

  /**
   * Takes the text of an imported key for it alone. Returns the command that creates the key.
   * @throws DomainError KEY_TAKEN, and what creating the key throws
   */
  private async taking(command: CreateApiKey, stream: string, caller: Caller): Promise<CreateApiKey> {
    const { id, appId, channel, hash } = command.key;
    if (channel === undefined) throw new Error('An imported key belongs to a channel.');
    if ((await this.commands.repeat(apiKeys, stream, caller)) !== undefined) return command;
    // A key that can't be created must not take the text.
    apiKeys.decide(command, (await this.commands.load(apiKeys, stream)).state);
    const texts = keyTextStream(hash);
    const { state: taken } = await this.commands.load(keyText, texts);
    const instead = taken !== undefined && (await this.isLeft(taken)) ? taken.key.id : undefined;
    const take = { type: 'TakeKeyText', key: { id, appId, channel }, instead } as const;
    const { state, events } = await this.commands.handle(keyText, texts, take, caller);
    const own = events.find((event) => event.type === 'KeyTextTaken')?.data;
    // A repeat that was interrupted before it created the key creates the one for which it took the text, if it still has it.
    if (own === undefined || state?.key.id !== own.id) throw keyTaken();
    return { ...command, key: { ...command.key, id: own.id } };
  }

  /** Whether the key that has the text was deleted, or never came to be. */
  private async isLeft({ key: { id, appId, channel }, takenAt }: NonNullable<KeyText>): Promise<boolean> {
    if (this.clock.now().getTime() - Date.parse(takenAt) < TAKING_MS) return false;
    const { state } = await this.commands.load(apiKeys, apiKeysStream(appId, channel));
    return state === 'closed' || !state.has(id);
  }

  @HandlesCommand(rotateApiKey)
  async rotate({ appId, ...key }: RequestOf<typeof rotateApiKey>, caller: Caller) {
    const issued = await this.issue((secret) =>
      this.apply(apiKeysStream(appId), { type: 'RotateApiKey', ...key, secret }, caller),
    );
    return this.shown(issued, key.id);
  }

  @HandlesQuery(listApiKeys)
  async list(request: RequestOf<typeof listApiKeys>) {
    const { rows, total } = await this.page({ ...request, channel: '' });
    return { items: await this.resources(rows), total };
  }

  @HandlesQuery(listChannelKeys)
  async listOfChannel(request: RequestOf<typeof listChannelKeys>) {
    const { rows, total } = await this.page(request);
    const keys = await this.resources(rows);
    return { items: keys.map((key, index) => ofChannel(key, rows[index] ?? {})), total };
  }

  private async page({ appId, channel, ...page }: RequestOf<typeof listChannelKeys>) {
    const view = this.readStore.view(apiKeysProjection.name, apiKeyRows);
    const { rows, total } = await findPage(view, { where: { appId, channel }, sort: [['number', 'asc']], ...page });
    return { rows: rows.map((row) => ({ ...row, id: row.number })), total };
  }

  @HandlesQuery(getApiKey)
  async get({ appId, id }: RequestOf<typeof getApiKey>): Promise<ApiKey> {
    const { name } = apiKeysProjection;
    const row = await this.projections.find(name, async () => {
      const found = await this.readStore.view(name, apiKeyRows).get(String(id));
      return found?.appId === appId && found.channel === '' ? found : undefined;
    });
    if (row === undefined) throw apiKeyNotFound();
    return this.resource({ ...row, id });
  }

  @HandlesQuery(revealApiKey)
  reveal({ appId, id }: RequestOf<typeof revealApiKey>) {
    return this.revealIn(apiKeysStream(appId), id);
  }

  @HandlesQuery(revealChannelKey)
  revealOfChannel({ appId, channel, id }: RequestOf<typeof revealChannelKey>) {
    return this.revealIn(apiKeysStream(appId, channel), id);
  }

  /** Reads the stream, not the read model: never an old secret. */
  private async revealIn(stream: string, id: number) {
    const sealed = async () => {
      const { state } = await this.commands.load(apiKeys, stream);
      return usableKey(state, id).sealId;
    };
    let sealId = await sealed();
    for (;;) {
      try {
        return { id, plaintext_key: await this.plaintext(sealId) };
      } catch (error) {
        // A rotation meanwhile has put another secret into its place.
        const now = await sealed();
        if (now === sealId) throw error;
        sealId = now;
      }
    }
  }

  /** Earlier releases ignore the channels of a restriction. */
  @HandlesCommand(restrictApiKey)
  async restrict({ appId, ...key }: RequestOf<typeof restrictApiKey>, caller: Caller): Promise<ApiKey> {
    if ((key.restrictions.channels ?? []).length > 0) await requireFormat(this.commands, TARGETING_FORMAT);
    return this.change(apiKeysStream(appId), { type: 'RestrictApiKey', ...key }, caller);
  }

  @HandlesCommand(restrictChannelKey)
  async restrictOfChannel({ appId, channel, ...restricted }: RequestOf<typeof restrictChannelKey>, caller: Caller) {
    const command = { type: 'RestrictApiKey', ...restricted } as const;
    const { state } = await this.apply(apiKeysStream(appId, channel), command, caller);
    const key = existingKey(state, restricted.id);
    return ofChannel(await this.resource(key), key);
  }

  @HandlesCommand(deleteChannelKey)
  async deleteOfChannel({ appId, channel, ...key }: RequestOf<typeof deleteChannelKey>, caller: Caller) {
    const { id } = key;
    const stream = apiKeysStream(appId, channel);
    const { state } = await this.commands.load(apiKeys, stream);
    await this.apply(stream, { type: 'DeleteApiKey', ...key }, caller);
    const hash = state === 'closed' ? undefined : state.get(id)?.importedHash;
    if (hash !== undefined) {
      await this.commands.handle(keyText, keyTextStream(hash), { type: 'ReleaseKeyText', id }, caller);
    }
    return { deleted: true as const, id };
  }

  @HandlesCommand(deprecateApiKey)
  deprecate({ appId, ...key }: RequestOf<typeof deprecateApiKey>, caller: Caller): Promise<ApiKey> {
    return this.change(apiKeysStream(appId), { type: 'DeprecateApiKey', ...key }, caller);
  }

  @HandlesCommand(revokeApiKey)
  revoke({ appId, ...key }: RequestOf<typeof revokeApiKey>, caller: Caller): Promise<ApiKey> {
    return this.change(apiKeysStream(appId), { type: 'RevokeApiKey', ...key }, caller);
  }

  @HandlesCommand(deleteApiKey)
  async delete({ appId, ...key }: RequestOf<typeof deleteApiKey>, caller: Caller) {
    await this.apply(apiKeysStream(appId), { type: 'DeleteApiKey', ...key }, caller);
    return { deleted: true as const, id: key.id };
  }

  @HandlesCommand(recordApiKeyUse)
  async recordUse({ uses }: RequestOf<typeof recordApiKeyUse>) {
    return { recorded: await recordUses(this.state, uses) };
  }

  @HandlesQuery(countBlockedCallers)
  async countBlocked({ apps }: RequestOf<typeof countBlockedCallers>): Promise<BlockedCallers[]> {
    const keys = await this.readStore
      .view(apiKeysProjection.name, apiKeyRows)
      .find({ where: { appId: { in: apps } }, sort: [['appId', 'asc']] });
    const usageOf = await this.usageOf(keys.map(({ id }) => id));
    return apps.map((app) => {
      const usages = keys.filter(({ appId }) => appId === app).flatMap(({ id }) => usageOf.get(id) ?? []);
      return {
        count: usages.reduce((sum, { blockedCount }) => sum + blockedCount, 0),
        last_at: usages
          .map(({ lastBlockedAt }) => lastBlockedAt)
          .reduce((last, at) => (at !== null && (last === null || at > last) ? at : last), null),
      };
    });
  }

  /** Carries the command out, and drops the plaintext that it made useless. */
  private async apply(stream: string, command: ApiKeyCommand, caller: Caller): Promise<Handled<ApiKeys, ApiKeyEvent>> {
    const handled = await this.commands.handle(apiKeys, stream, command, caller);
    await dropFormerSeals(this.vault, handled.events);
    return handled;
  }

  /** As {@link apply}; returns the safe view of the key as it is then. */
  private async change(stream: string, command: ApiKeyCommand & { readonly id: number }, caller: Caller) {
    const { state } = await this.apply(stream, command, caller);
    return this.resource(existingKey(state, command.id));
  }

  /** Passes a secret, fresh unless `text` is its text, to `append`, which appends the event that names its seal; see {@link sealThenAppend}. */
  private async issue(append: (secret: NewSecret) => Promise<Handled<ApiKeys, ApiKeyEvent>>, text?: string) {
    const plaintext = text ?? newCredential('svc_app_');
    const sealId = this.settings.apiKeyRecovery ? `${API_KEY_SEALS}${newUlid()}` : null;
    const preview = text === undefined ? credentialPreview('svc_app_', plaintext) : previewOf(text);
    const imported = text === undefined ? {} : { imported: true as const };
    const secret = { preview, hash: credentialHash(plaintext), sealId, ...imported };
    const result = await sealThenAppend(this.vault, sealId, Buffer.from(plaintext), () => append(secret));
    return { ...result, plaintext };
  }

  private async shown(issued: Handled<ApiKeys, ApiKeyEvent> & { readonly plaintext: string }, keyId: number) {
    const { id, name, status, sealId } = existingKey(issued.state, keyId);
    return { id, name, status, plaintext_key: issued.repeated ? await this.plaintext(sealId) : issued.plaintext };
  }

  /** @throws DomainError PLAINTEXT_UNAVAILABLE */
  private async plaintext(sealId: string | null): Promise<string> {
    const plaintext = sealId === null ? undefined : await this.vault.open(sealId);
    if (plaintext !== undefined) return plaintext.toString();
    throw new DomainError('PLAINTEXT_UNAVAILABLE', 'The plaintext of this API key is not kept. Rotate it instead.');
  }

  private async usageOf(ids: readonly string[]): Promise<ReadonlyMap<string, ApiKeyUsage>> {
    const used = await this.state.rows(apiKeyUsage).find({ where: { id: { in: ids } } });
    return new Map(used.map((usage) => [usage.id, usage]));
  }

  private async resource(key: ApiKeyState): Promise<ApiKey> {
    return apiKeyResource(key, (await this.usageOf([String(key.id)])).get(String(key.id)));
  }

  private async resources(keys: readonly ApiKeyState[]): Promise<ApiKey[]> {
    const usageOf = await this.usageOf(keys.map((key) => String(key.id)));
    return keys.map((key) => apiKeyResource(key, usageOf.get(String(key.id))));
  }
}

type NewSecret = ApiKeySecret & Pick<ApiKeyFacts, 'imported'>;

/** Of a text of 10 characters or more. */
function previewOf(text: string): string {
  return `${text.slice(0, 4)}…${text.slice(-2)}`;
}

/** As the API shows a key that belongs to a channel. */
const ofChannel = (key: ApiKey, { platform }: Pick<ApiKeyState, 'platform'>): ChannelKey => ({
  ...key,
  platform: platform ?? null,
});

/** The safe view of the API, with the last use of the key from the state store. */
function apiKeyResource(key: ApiKeyState, usage: ApiKeyUsage | undefined): ApiKey {
  return {
    id: key.id,
    name: key.name,
    key_preview: key.preview,
    status: key.status,
    recoverable: key.sealId !== null,
    restrictions: key.restrictions,
    unrestricted: Object.keys(key.restrictions).length === 0,
    blocked_count: usage?.blockedCount ?? 0,
    last_blocked_at: usage?.lastBlockedAt ?? null,
    last_blocked_reason: usage?.lastBlockedReason ?? null,
    last_used_at: usage?.lastUsedAt ?? null,
    last_check: usage?.lastCheck ?? null,
    rotated_at: key.rotatedAt,
    revision: key.revision,
    created_at: key.createdAt,
  };
}

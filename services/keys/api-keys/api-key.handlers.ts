import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type ApiKey,
  type BlockedCallers,
  type Caller,
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
import { DomainError, newUlid } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { dropFormerSeals, sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import { type ApiKeyUsage, apiKeyUsage, recordUses } from './api-key-usage';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';
import {
  API_KEY_SEALS,
  type ApiKeyCommand,
  type ApiKeyEvent,
  apiKeyNotFound,
  type ApiKeys,
  apiKeys,
  type ApiKeySecret,
  apiKeysStream,
  type ApiKeyState,
  existingKey,
  usableKey,
} from './domain/api-keys';

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
  ) {
    this.ids = createSequence({ commands, name: 'keys' });
  }

  @HandlesCommand(createApiKey)
  create({ appId, name }: RequestOf<typeof createApiKey>, caller: Caller) {
    return this.createIn(apiKeysStream(appId), { appId, name }, caller);
  }

  @HandlesCommand(createChannelKey)
  async createForChannel({ appId, channel, name }: RequestOf<typeof createChannelKey>, caller: Caller) {
    await requireFormat(this.commands, TARGETING_FORMAT);
    return this.createIn(apiKeysStream(appId, channel), { appId, channel, name }, caller);
  }

  private async createIn(stream: string, key: Pick<ApiKeyState, 'appId' | 'channel' | 'name'>, caller: Caller) {
    const newId = await this.ids.next(caller);
    const issued = await this.issue((secret) =>
      this.apply(stream, { type: 'CreateApiKey', key: { id: newId, ...key, ...secret } }, caller),
    );
    const created = issued.events.find((event) => event.type === 'ApiKeyCreated')?.data;
    if (created === undefined) throw new Error(`The command ${caller.commandId} created no API key.`);
    return this.shown(issued, created.id);
  }

  @HandlesCommand(rotateApiKey)
  async rotate({ appId, id }: RequestOf<typeof rotateApiKey>, caller: Caller) {
    const issued = await this.issue((secret) =>
      this.apply(apiKeysStream(appId), { type: 'RotateApiKey', id, secret }, caller),
    );
    return this.shown(issued, id);
  }

  @HandlesQuery(listApiKeys)
  list(request: RequestOf<typeof listApiKeys>) {
    return this.page({ ...request, channel: '' });
  }

  @HandlesQuery(listChannelKeys)
  listOfChannel(request: RequestOf<typeof listChannelKeys>) {
    return this.page(request);
  }

  private async page({ appId, channel, ...page }: RequestOf<typeof listChannelKeys>) {
    const view = this.readStore.view(apiKeysProjection.name, apiKeyRows);
    const { rows, total } = await findPage(view, { where: { appId, channel }, sort: [['number', 'asc']], ...page });
    return { items: await this.resources(rows.map((row) => ({ ...row, id: row.number }))), total };
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
  async restrict({ appId, id, restrictions }: RequestOf<typeof restrictApiKey>, caller: Caller): Promise<ApiKey> {
    if ((restrictions.channels ?? []).length > 0) await requireFormat(this.commands, TARGETING_FORMAT);
    return this.change(apiKeysStream(appId), { type: 'RestrictApiKey', id, restrictions }, caller);
  }

  @HandlesCommand(restrictChannelKey)
  restrictOfChannel({ appId, channel, id, restrictions }: RequestOf<typeof restrictChannelKey>, caller: Caller) {
    return this.change(apiKeysStream(appId, channel), { type: 'RestrictApiKey', id, restrictions }, caller);
  }

  @HandlesCommand(deleteChannelKey)
  async deleteOfChannel({ appId, channel, id }: RequestOf<typeof deleteChannelKey>, caller: Caller) {
    await this.apply(apiKeysStream(appId, channel), { type: 'DeleteApiKey', id }, caller);
    return { deleted: true as const, id };
  }

  @HandlesCommand(deprecateApiKey)
  deprecate({ appId, id }: RequestOf<typeof deprecateApiKey>, caller: Caller): Promise<ApiKey> {
    return this.change(apiKeysStream(appId), { type: 'DeprecateApiKey', id }, caller);
  }

  @HandlesCommand(revokeApiKey)
  revoke({ appId, id }: RequestOf<typeof revokeApiKey>, caller: Caller): Promise<ApiKey> {
    return this.change(apiKeysStream(appId), { type: 'RevokeApiKey', id }, caller);
  }

  @HandlesCommand(deleteApiKey)
  async delete({ appId, id }: RequestOf<typeof deleteApiKey>, caller: Caller) {
    await this.apply(apiKeysStream(appId), { type: 'DeleteApiKey', id }, caller);
    return { deleted: true as const, id };
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

  /** Passes a fresh secret to `append`, which appends the event that names its seal; see {@link sealThenAppend}. */
  private async issue(append: (secret: ApiKeySecret) => Promise<Handled<ApiKeys, ApiKeyEvent>>) {
    const plaintext = newCredential('svc_app_');
    const sealId = this.settings.apiKeyRecovery ? `${API_KEY_SEALS}${newUlid()}` : null;
    const secret = { preview: credentialPreview('svc_app_', plaintext), hash: credentialHash(plaintext), sealId };
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
    rotated_at: key.rotatedAt,
    created_at: key.createdAt,
  };
}

import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import {
  actorNames,
  type Caller,
  createOwner,
  getOwner,
  listOwners,
  OPERATOR_ID,
  type Owner,
  type RequestOf,
  resumeOwner,
  rotateOwnerKey,
  suspendOwner,
} from '@sluice/contracts';
import { findPage, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, createSequence, type Sequence } from '@sluice/event-store';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import { OneTimeSecrets } from '../tokens/one-time-secrets';
import { TokenHandlers } from '../tokens/token.handlers';
import { tokenRows, tokensProjection } from '../tokens/tokens.projection';
import {
  type ExistingOwner,
  existingOwner,
  owner,
  OWNER_SEQUENCE,
  type OwnerCommand,
  ownerStream,
} from './domain/owner';
import type { RegistrySettings } from '../config/registry.settings';
import { rotateWithFile } from './owner-key-file';
import { ownerRows, ownersProjection } from './owners.projection';

@Injectable()
export class OwnerHandlers {
  /** Counted behind the first owner's. */
  private readonly ids: Sequence;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly readStore: ReadStore,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
    @Inject(VAULT) private readonly vault: Vault,
    private readonly secrets: OneTimeSecrets,
    private readonly tokens: TokenHandlers,
  ) {
    this.ids = createSequence({ commands, name: OWNER_SEQUENCE });
  }

  @HandlesQuery(listOwners)
  async list(page: RequestOf<typeof listOwners>) {
    const view = this.readStore.view(ownersProjection.name, ownerRows);
    const { rows, total } = await findPage(view, { sort: [['number', 'asc']], ...page });
    return { items: rows.map((row) => ownerResource({ ...row, id: row.number, suspension: row.suspended })), total };
  }

  @HandlesQuery(getOwner)
  async get({ id }: RequestOf<typeof getOwner>): Promise<Owner> {
    return ownerResource(await this.load(id));
  }

  @HandlesCommand(createOwner)
  async create({ name }: RequestOf<typeof createOwner>, caller: Caller) {
    const id = OPERATOR_ID + (await this.ids.of(caller));
    const { state, repeated, plaintext } = await this.secrets.issue('svc_own_', caller, ({ hash, sealId }) =>
      this.commands.handle(owner, ownerStream(id), { type: 'CreateOwner', id, name, key: { hash, sealId } }, caller),
    );
    const created = existingOwner(state);
    const shown = repeated ? await this.secrets.plaintext(created.sealId) : plaintext;
    return { ...ownerResource(created), owner_key: shown };
  }

  @HandlesCommand(rotateOwnerKey)
  async rotateKey({ id, revokeTokens }: RequestOf<typeof rotateOwnerKey>, caller: Caller) {
    const handled = await this.secrets.issue('svc_own_', caller, ({ hash, sealId, plaintext: key }) => {
      const command = { type: 'RotateOwnerKey', key: { hash, sealId } } as const;
      const rotate = () => this.commands.handle(owner, ownerStream(id), command, caller);
      const present = async () => (await this.load(id)).hash;
      return id === OPERATOR_ID ? rotateWithFile(this.settings, key, rotate, present) : rotate();
    });
    await dropFormerSeals(this.vault, handled.events);
    if (revokeTokens) await this.tokens.revokeAll(id, caller);
    const rotated = existingOwner(handled.state);
    const shown = handled.repeated ? await this.secrets.plaintext(rotated.sealId) : handled.plaintext;
    return { ...ownerResource(rotated), owner_key: shown };
  }

  @HandlesCommand(suspendOwner)
  suspend({ id, ...suspension }: RequestOf<typeof suspendOwner>, caller: Caller): Promise<Owner> {
    return this.change(id, { type: 'SuspendOwner', ...suspension }, caller);
  }

  @HandlesCommand(resumeOwner)
  resume({ id }: RequestOf<typeof resumeOwner>, caller: Caller): Promise<Owner> {
    return this.change(id, { type: 'ResumeOwner' }, caller);
  }

  /** A revoked token still has its name. */
  @HandlesQuery(actorNames)
  async names({ actors }: RequestOf<typeof actorNames>) {
    const named = await Promise.all(actors.map(async (actor) => [actor, await this.nameOf(actor)] as const));
    return Object.fromEntries(named.flatMap(([actor, name]) => (name === undefined ? [] : [[actor, name]])));
  }

  private async nameOf(actor: string): Promise<string | undefined> {
    const [, kind, id] = /^(token|owner):(\d{1,15})$/.exec(actor) ?? [];
    if (id === undefined) return undefined;
    if (kind === 'token') return (await this.readStore.view(tokensProjection.name, tokenRows).get(id))?.name;
    return (await this.commands.load(owner, ownerStream(Number(id)))).state?.name;
  }

  /** @throws DomainError OWNER_NOT_FOUND */
  private async load(id: number): Promise<ExistingOwner> {
    return existingOwner((await this.commands.load(owner, ownerStream(id))).state);
  }

  private async change(id: number, command: OwnerCommand, caller: Caller): Promise<Owner> {
    const { state } = await this.commands.handle(owner, ownerStream(id), command, caller);
    return ownerResource(existingOwner(state));
  }
}

/** The owner of the API. */
function ownerResource(owner: Pick<ExistingOwner, 'id' | 'name' | 'createdAt' | 'keyRotatedAt' | 'suspension'>): Owner {
  const { id, name, createdAt, keyRotatedAt, suspension } = owner;
  return {
    id,
    name,
    operator: id === OPERATOR_ID,
    key_rotated_at: keyRotatedAt,
    created_at: createdAt,
    suspended: suspension && { at: suspension.at, reason: suspension.reason, stop_devices: suspension.stopDevices },
  };
}

import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type AccessToken,
  actorNames,
  type App,
  type Caller,
  createApp,
  createOwner,
  createToken,
  editApp,
  editToken,
  getApp,
  getOwner,
  getToken,
  listApps,
  listBuildRetention,
  listOwnedApps,
  listOwners,
  listTokens,
  type Owner,
  removeApp,
  resumeOwner,
  type ReplyOf,
  type RequestOf,
  revokeToken,
  rotateOwnerKey,
  rotateToken,
  suspendOwner,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { ActorNames } from '../application/actor-names.handler';
import { CreateApp } from '../application/create-app.handler';
import { CreateOwner } from '../application/create-owner.handler';
import { CreateToken } from '../application/create-token.handler';
import { EditApp } from '../application/edit-app.handler';
import { EditToken } from '../application/edit-token.handler';
import { GetApp } from '../application/get-app.handler';
import { GetOwner } from '../application/get-owner.handler';
import { GetToken } from '../application/get-token.handler';
import { ListApps } from '../application/list-apps.handler';
import { ListBuildRetention } from '../application/list-build-retention.handler';
import { ListOwnedApps } from '../application/list-owned-apps.handler';
import { ListOwners } from '../application/list-owners.handler';
import { ListTokens } from '../application/list-tokens.handler';
import { RemoveApp } from '../application/remove-app.handler';
import { ResumeOwner } from '../application/resume-owner.handler';
import { RevokeToken } from '../application/revoke-token.handler';
import { RotateOwnerKey } from '../application/rotate-owner-key.handler';
import { RotateToken } from '../application/rotate-token.handler';
import { SuspendOwner } from '../application/suspend-owner.handler';

@Controller()
export class RegistryController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(createApp)
  createApp(request: RequestOf<typeof createApp>, caller: Caller): Promise<App> {
    return this.commands.execute(new CreateApp(request, caller));
  }

  @Handles(listApps)
  listApps(request: RequestOf<typeof listApps>): Promise<ReplyOf<typeof listApps>> {
    return this.queries.execute(new ListApps(request));
  }

  @Handles(listBuildRetention)
  buildRetention(request: RequestOf<typeof listBuildRetention>): Promise<ReplyOf<typeof listBuildRetention>> {
    return this.queries.execute(new ListBuildRetention(request));
  }

  @Handles(listOwnedApps)
  listOwnedApps(request: RequestOf<typeof listOwnedApps>): Promise<ReplyOf<typeof listOwnedApps>> {
    return this.queries.execute(new ListOwnedApps(request));
  }

  @Handles(getApp)
  getApp({ id }: RequestOf<typeof getApp>): Promise<App> {
    return this.queries.execute(new GetApp(id));
  }

  @Handles(editApp)
  editApp(request: RequestOf<typeof editApp>, caller: Caller): Promise<App> {
    return this.commands.execute(new EditApp(request, caller));
  }

  @Handles(listOwners)
  listOwners(request: RequestOf<typeof listOwners>): Promise<ReplyOf<typeof listOwners>> {
    return this.queries.execute(new ListOwners(request));
  }

  @Handles(getOwner)
  getOwner({ id }: RequestOf<typeof getOwner>): Promise<Owner> {
    return this.queries.execute(new GetOwner(id));
  }

  @Handles(createOwner)
  createOwner(request: RequestOf<typeof createOwner>, caller: Caller): Promise<ReplyOf<typeof createOwner>> {
    return this.commands.execute(new CreateOwner(request, caller));
  }

  @Handles(rotateOwnerKey)
  rotateOwnerKey(request: RequestOf<typeof rotateOwnerKey>, caller: Caller): Promise<ReplyOf<typeof rotateOwnerKey>> {
    return this.commands.execute(new RotateOwnerKey(request, caller));
  }

  @Handles(suspendOwner)
  suspendOwner(request: RequestOf<typeof suspendOwner>, caller: Caller): Promise<Owner> {
    return this.commands.execute(new SuspendOwner(request, caller));
  }

  @Handles(resumeOwner)
  resumeOwner(request: RequestOf<typeof resumeOwner>, caller: Caller): Promise<Owner> {
    return this.commands.execute(new ResumeOwner(request, caller));
  }

  @Handles(removeApp)
  removeApp(request: RequestOf<typeof removeApp>, caller: Caller): Promise<ReplyOf<typeof removeApp>> {
    return this.commands.execute(new RemoveApp(request, caller));
  }

  @Handles(createToken)
  createToken(request: RequestOf<typeof createToken>, caller: Caller): Promise<ReplyOf<typeof createToken>> {
    return this.commands.execute(new CreateToken(request, caller));
  }

  @Handles(listTokens)
  listTokens(request: RequestOf<typeof listTokens>): Promise<ReplyOf<typeof listTokens>> {
    return this.queries.execute(new ListTokens(request));
  }

  @Handles(getToken)
  getToken(request: RequestOf<typeof getToken>): Promise<AccessToken> {
    return this.queries.execute(new GetToken(request));
  }

  @Handles(editToken)
  editToken(request: RequestOf<typeof editToken>, caller: Caller): Promise<AccessToken> {
    return this.commands.execute(new EditToken(request, caller));
  }

  @Handles(rotateToken)
  rotateToken(request: RequestOf<typeof rotateToken>, caller: Caller): Promise<ReplyOf<typeof rotateToken>> {
    return this.commands.execute(new RotateToken(request, caller));
  }

  @Handles(revokeToken)
  revokeToken(request: RequestOf<typeof revokeToken>, caller: Caller): Promise<AccessToken> {
    return this.commands.execute(new RevokeToken(request, caller));
  }

  @Handles(actorNames)
  actorNames(request: RequestOf<typeof actorNames>): Promise<ReplyOf<typeof actorNames>> {
    return this.queries.execute(new ActorNames(request));
  }
}

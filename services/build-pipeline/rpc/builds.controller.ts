import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  acceptBuild,
  changeRollout,
  closeAppChannels,
  countUnfinishedBuilds,
  deleteBuild,
  editBuild,
  getBuild,
  getJob,
  getStorage,
  listBuilds,
  previewRetention,
  promoteBuild,
  type Build,
  type Caller,
  type Job,
  type ReplyOf,
  type RequestOf,
  type Retention,
  type UnfinishedBuilds,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { AcceptBuild } from '../application/accept-build.handler';
import { ChangeRollout } from '../application/change-rollout.handler';
import { CloseAppChannels } from '../application/close-app-channels.handler';
import { CountUnfinishedBuilds } from '../application/count-unfinished-builds.handler';
import { DeleteBuild } from '../application/delete-build.handler';
import { EditBuild } from '../application/edit-build.handler';
import { GetBuild } from '../application/get-build.handler';
import { GetJob } from '../application/get-job.handler';
import { GetStorage } from '../application/get-storage.handler';
import { ListBuilds } from '../application/list-builds.handler';
import { PreviewRetention } from '../application/preview-retention.handler';
import { PromoteBuild } from '../application/promote-build.handler';

@Controller()
export class BuildsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(acceptBuild)
  accept(request: RequestOf<typeof acceptBuild>, caller: Caller): Promise<ReplyOf<typeof acceptBuild>> {
    return this.commands.execute(new AcceptBuild(request, caller));
  }

  @Handles(getBuild)
  get(request: RequestOf<typeof getBuild>): Promise<Build> {
    return this.queries.execute(new GetBuild(request));
  }

  @Handles(listBuilds)
  list(request: RequestOf<typeof listBuilds>): Promise<ReplyOf<typeof listBuilds>> {
    return this.queries.execute(new ListBuilds(request));
  }

  @Handles(countUnfinishedBuilds)
  countUnfinished(request: RequestOf<typeof countUnfinishedBuilds>): Promise<UnfinishedBuilds[]> {
    return this.queries.execute(new CountUnfinishedBuilds(request));
  }

  @Handles(editBuild)
  edit(request: RequestOf<typeof editBuild>, caller: Caller): Promise<Build> {
    return this.commands.execute(new EditBuild(request, caller));
  }

  @Handles(changeRollout)
  changeRollout(request: RequestOf<typeof changeRollout>, caller: Caller): Promise<Build> {
    return this.commands.execute(new ChangeRollout(request, caller));
  }

  @Handles(promoteBuild)
  promote(request: RequestOf<typeof promoteBuild>, caller: Caller): Promise<Build> {
    return this.commands.execute(new PromoteBuild(request, caller));
  }

  @Handles(deleteBuild)
  delete(request: RequestOf<typeof deleteBuild>, caller: Caller): Promise<ReplyOf<typeof deleteBuild>> {
    return this.commands.execute(new DeleteBuild(request, caller));
  }

  @Handles(previewRetention)
  retention(request: RequestOf<typeof previewRetention>): Promise<Retention> {
    return this.queries.execute(new PreviewRetention(request));
  }

  @Handles(getStorage)
  storage(request: RequestOf<typeof getStorage>): Promise<ReplyOf<typeof getStorage>> {
    return this.queries.execute(new GetStorage(request));
  }

  @Handles(closeAppChannels)
  closeAppChannels(
    request: RequestOf<typeof closeAppChannels>,
    caller: Caller,
  ): Promise<ReplyOf<typeof closeAppChannels>> {
    return this.commands.execute(new CloseAppChannels(request, caller));
  }

  @Handles(getJob)
  job(request: RequestOf<typeof getJob>): Promise<Job> {
    return this.queries.execute(new GetJob(request));
  }
}

import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Payload } from '@nestjs/microservices';
import {
  acceptBuild,
  changeRollout,
  closeAppChannels,
  deleteBuild,
  editBuild,
  getBuild,
  getJob,
  listBuilds,
  promoteBuild,
  type Build,
  type Caller,
  type Job,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { CallerOf, Handles } from '@sluice/messaging';
import { AcceptBuild } from '../application/accept-build.handler';
import { ChangeRollout } from '../application/change-rollout.handler';
import { CloseAppChannels } from '../application/close-app-channels.handler';
import { DeleteBuild } from '../application/delete-build.handler';
import { EditBuild } from '../application/edit-build.handler';
import { GetBuild } from '../application/get-build.handler';
import { GetJob } from '../application/get-job.handler';
import { ListBuilds } from '../application/list-builds.handler';
import { PromoteBuild } from '../application/promote-build.handler';

@Controller()
export class BuildsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(acceptBuild)
  accept(
    @Payload() request: RequestOf<typeof acceptBuild>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof acceptBuild>> {
    return this.commands.execute(new AcceptBuild(request, caller));
  }

  @Handles(getBuild)
  get(@Payload() request: RequestOf<typeof getBuild>): Promise<Build> {
    return this.queries.execute(new GetBuild(request));
  }

  @Handles(listBuilds)
  list(@Payload() request: RequestOf<typeof listBuilds>): Promise<ReplyOf<typeof listBuilds>> {
    return this.queries.execute(new ListBuilds(request));
  }

  @Handles(editBuild)
  edit(@Payload() request: RequestOf<typeof editBuild>, @CallerOf() caller: Caller): Promise<Build> {
    return this.commands.execute(new EditBuild(request, caller));
  }

  @Handles(changeRollout)
  changeRollout(@Payload() request: RequestOf<typeof changeRollout>, @CallerOf() caller: Caller): Promise<Build> {
    return this.commands.execute(new ChangeRollout(request, caller));
  }

  @Handles(promoteBuild)
  promote(@Payload() request: RequestOf<typeof promoteBuild>, @CallerOf() caller: Caller): Promise<Build> {
    return this.commands.execute(new PromoteBuild(request, caller));
  }

  @Handles(deleteBuild)
  delete(
    @Payload() request: RequestOf<typeof deleteBuild>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof deleteBuild>> {
    return this.commands.execute(new DeleteBuild(request, caller));
  }

  @Handles(closeAppChannels)
  closeAppChannels(
    @Payload() request: RequestOf<typeof closeAppChannels>,
    @CallerOf() caller: Caller,
  ): Promise<ReplyOf<typeof closeAppChannels>> {
    return this.commands.execute(new CloseAppChannels(request, caller));
  }

  @Handles(getJob)
  job(@Payload() request: RequestOf<typeof getJob>): Promise<Job> {
    return this.queries.execute(new GetJob(request));
  }
}

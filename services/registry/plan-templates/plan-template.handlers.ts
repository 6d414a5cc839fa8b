import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  deletePlanTemplate,
  getPlanTemplate,
  listPlanTemplates,
  type PlanTemplate,
  planTemplateSchema,
  type RequestOf,
  setPlanTemplate,
} from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { app, appNotFound, appStream } from '../apps/domain/app';
import {
  type PlanTemplate as Template,
  type PlanTemplates,
  planTemplates,
  planTemplatesStream,
  templateNames,
  templateNotFound,
} from './domain/plan-templates';

@Injectable()
export class PlanTemplateHandlers {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  @HandlesQuery(listPlanTemplates)
  async list({ appId, page, perPage }: RequestOf<typeof listPlanTemplates>) {
    const all = [...(await this.load(appId)).byName.values()];
    return { items: all.slice((page - 1) * perPage, page * perPage).map(toResource), total: all.length };
  }

  @HandlesQuery(getPlanTemplate)
  async get({ appId, name }: RequestOf<typeof getPlanTemplate>): Promise<PlanTemplate> {
    return templateOf(await this.load(appId), name);
  }

  @HandlesCommand(setPlanTemplate)
  async set(request: RequestOf<typeof setPlanTemplate>, caller: Caller): Promise<PlanTemplate> {
    const { appId, name } = request;
    await this.defaultsOf(appId);
    const command = { type: 'SetTemplate', ...request } as const;
    const { state } = await this.commands.handle(planTemplates, planTemplatesStream(appId), command, caller);
    return templateOf(state, name);
  }

  @HandlesCommand(deletePlanTemplate)
  async delete(request: RequestOf<typeof deletePlanTemplate>, caller: Caller) {
    const { appId, name } = request;
    const command = { type: 'DeleteTemplate', ...request, defaults: await this.defaultsOf(appId) } as const;
    await this.commands.handle(planTemplates, planTemplatesStream(appId), command, caller);
    return { deleted: true as const, name };
  }

  private async load(appId: number): Promise<PlanTemplates> {
    return (await this.commands.load(planTemplates, planTemplatesStream(appId))).state;
  }

  /** @throws DomainError APP_NOT_FOUND, when it is being removed */
  private async defaultsOf(appId: number) {
    const { state } = await this.commands.load(app, appStream(appId));
    if (state.removing) throw appNotFound();
    return { ...state.edits.defaultRollout };
  }
}

function templateOf(templates: PlanTemplates, name: string): PlanTemplate {
  const template = templates.byName.get(name);
  if (template === undefined) throw templateNotFound(templateNames(templates));
  return toResource(template);
}

/** Rules that a later release added get their default. */
function toResource({ name, rules, revision, updatedAt }: Template): PlanTemplate {
  return planTemplateSchema.parse({ ...rules, name, revision, updated_at: updatedAt });
}

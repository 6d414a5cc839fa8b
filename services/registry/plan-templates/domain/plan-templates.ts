import {
  canonicalJson,
  DomainError,
  type ExpectsRevision,
  type JsonObject,
  requireRevision,
  SortedMap,
  unknownEvent,
  type Decider,
} from '@sluice/kernel';

export interface PlanTemplate {
  readonly name: string;
  /** As the API has them. */
  readonly rules: JsonObject;
  /** The number of its last change among those of all templates: no later template of its name has the same one. */
  readonly revision: number;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export type PlanTemplateCommand =
  | ({
      readonly type: 'SetTemplate';
      readonly appId: number;
      readonly name: string;
      readonly rules: JsonObject;
    } & ExpectsRevision)
  /** `defaults`: the default rollouts of the app, by channel. */
  | ({
      readonly type: 'DeleteTemplate';
      readonly appId: number;
      readonly name: string;
      readonly defaults: Readonly<Record<string, string | number>>;
    } & ExpectsRevision);

export type PlanTemplateEvent =
  | {
      readonly type: 'PlanTemplateSet';
      readonly data: { readonly appId: number; readonly name: string; readonly rules: JsonObject };
    }
  | { readonly type: 'PlanTemplateDeleted'; readonly data: { readonly appId: number; readonly name: string } };

export interface PlanTemplates {
  readonly byName: SortedMap<string, PlanTemplate>;
  readonly lastRevision: number;
}

export const MAX_TEMPLATES = 20;

/** Stream `planTemplates-{appId}`: named rules for rollout plans, which plans copy when they are set. */
export const planTemplatesStream = (appId: number) => `planTemplates-${appId}`;

export const planTemplates: Decider<PlanTemplates, PlanTemplateCommand, PlanTemplateEvent> = {
  initialState: () => ({ byName: new SortedMap(), lastRevision: 0 }),

  decide: (command, templates) => {
    const { appId, name } = command;
    const known = templates.byName.get(name);
    if (known === undefined && command.ifRevision !== undefined) throw templateNotFound(templateNames(templates));
    if (known !== undefined) requireRevision('PLAN_TEMPLATE_CHANGED', `The template ${name}`, known.revision, command);
    if (command.type === 'SetTemplate') {
      const { rules } = command;
      if (known !== undefined && canonicalJson(known.rules) === canonicalJson(rules)) return [];
      if (known === undefined && templates.byName.size >= MAX_TEMPLATES) {
        throw new DomainError(
          'PLAN_TEMPLATE_LIMIT_REACHED',
          `An app has at most ${MAX_TEMPLATES} plan templates. Change or delete one of them first.`,
          { limit: MAX_TEMPLATES },
        );
      }
      return [{ type: 'PlanTemplateSet', data: { appId, name, rules } }];
    }
    if (known === undefined) throw templateNotFound(templateNames(templates));
    const channels = Object.keys(command.defaults).filter((channel) => command.defaults[channel] === name);
    if (channels.length > 0) {
      throw new DomainError(
        'PLAN_TEMPLATE_IN_USE',
        `The template ${name} is the default rollout of ${channels.join(' and ')}. Change default_rollout of the app first.`,
        { channels },
      );
    }
    return [{ type: 'PlanTemplateDeleted', data: { appId, name } }];
  },

  evolve: (templates, event, at) => {
    switch (event.type) {
      case 'PlanTemplateSet': {
        const { name, rules } = event.data;
        const revision = templates.lastRevision + 1;
        const template = { name, rules, revision, updatedAt: at };
        return { byName: templates.byName.set(name, template), lastRevision: revision };
      }
      case 'PlanTemplateDeleted':
        return { ...templates, byName: templates.byName.delete(event.data.name) };
      default:
        return unknownEvent(event);
    }
  },
};

export function templateNames({ byName }: PlanTemplates): string[] {
  return [...byName.values()].map(({ name }) => name);
}

/** The name that was sent is not repeated: it may be a credential in the wrong place. */
export function templateNotFound(names: readonly string[]): DomainError {
  const message =
    names.length === 0
      ? 'The app has no plan templates. Create one first.'
      : `The app has no plan template of this name. It has: ${names.join(', ')}.`;
  return new DomainError('PLAN_TEMPLATE_NOT_FOUND', message, { templates: names });
}

import type { Adoption, App, Channel } from '@sluice/contracts';
import { Link } from 'wouter';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/adoption';
import { percentOf } from '../../../texts/build-stats';
import { countOn, daysUntil } from './reached';

interface ReleasesProps {
  readonly app: App;
  readonly channel: Channel;
  readonly adoption: Adoption;
  /** Of the channel. */
  readonly releases: Adoption['releases'];
}

/** How quickly devices got the releases of a channel. */
export function Releases({ app, channel, adoption, releases }: ReleasesProps) {
  const last = adoption.total.findLastIndex((count) => count > 0);
  const isOver = (adoption.days.at(-1) ?? '') < new Date().toISOString().slice(0, 10);
  return (
    <Section title={texts.releases(channel)}>
      {releases.length === 0 ? (
        <p className="dim">{texts.noReleases}</p>
      ) : (
        <>
          <Table
            stacks
            label={texts.releases(channel)}
            rows={releases}
            keyOf={({ build_id: id }) => id}
            columns={[
              [
                rowHead(texts.version),
                ({ build_id: id, version }) => <Link to={`/apps/${app.id}/builds/${id}`}>{version}</Link>,
              ],
              [texts.released, ({ at }) => <Time at={at} />],
              [numbers(texts.timeTo(50)), (release) => texts.daysAfter(daysUntil(adoption, release, 0.5), isOver)],
              [numbers(texts.timeTo(90)), (release) => texts.daysAfter(daysUntil(adoption, release, 0.9), isOver)],
              [
                numbers(texts.reachedBy),
                ({ version }) => {
                  const { reached, all } = countOn(adoption, version, last);
                  return percentOf(reached, all);
                },
              ],
            ]}
          />
          <p className="dim">{texts.releasesHelp}</p>
        </>
      )}
    </Section>
  );
}

import { Route, Switch } from 'wouter';
import { Log } from './log';
import { Sync } from './sync';

/** All runs, or one of them. */
export function Syncs() {
  return (
    <Switch>
      <Route path="/listings-ads/sync" component={Sync} />
      <Route path="/listings-ads/sync/:log" component={Log} />
    </Switch>
  );
}

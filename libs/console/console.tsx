import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { follow } from './api/live';
import { useSession } from './api/session';
import { Frame } from './parts/frame';
import { useShown } from './parts/keys';
import { useNoneIsOpen } from './parts/modals';
import { SecretDialog } from './parts/secret-dialog';
import { SignInAgain } from './parts/sign-in-again';
import { ErrorNote, Loading, NotFound } from './parts/states';
import { SignIn } from './screens/sign-in';
import * as texts from './texts/frame';

const Apps = lazy(() => import('./screens/apps/apps'));
const loadApp = () => import('./screens/app/app');
const AppScreens = lazy(loadApp);
const Activity = lazy(() => import('./screens/activity/activity'));
const Tokens = lazy(() => import('./screens/tokens/tokens'));
const ListingsAds = lazy(() => import('./screens/listings-ads/listings-ads'));
const Account = lazy(() => import('./screens/account/account'));
const loadPalette = () => import('./screens/palette/palette');
const Palette = lazy(loadPalette);

/** Most people open an app next, so its screens are loaded soon after the first screen, and so is the palette. */
const PRELOAD_MS = 500;

/** The sign-in, then the screens. */
export function Console() {
  return (
    <>
      <Entrance />
      <SecretDialog />
    </>
  );
}

function Entrance() {
  const session = useSession();
  if (session.isPending) return <Loading what={texts.loadingConsole} />;
  if (session.isError) return <ErrorNote error={session.error} retry={() => void session.refetch()} />;
  return session.data === null ? <SignIn /> : <SignedIn />;
}

function SignedIn() {
  const client = useQueryClient();
  useEffect(() => follow(client), [client]);
  useEffect(() => {
    const soon = setTimeout(() => void Promise.all([loadApp(), loadPalette()]), PRELOAD_MS);
    return () => clearTimeout(soon);
  }, []);
  return (
    <Frame>
      <SignInAgainHere />
      <PaletteHere />
      <Suspense fallback={<Loading what={texts.loadingScreen} />}>
        <Switch>
          <Route path="/">
            <Redirect to="/apps" replace />
          </Route>
          <Route path="/apps" component={Apps} />
          <Route path="/apps/:app/*?" component={AppScreens} />
          <Route path="/activity" component={Activity} />
          <Route path="/tokens" component={Tokens} />
          <Route path="/listings-ads/*?" component={ListingsAds} />
          <Route path="/account/*?" component={Account} />
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </Frame>
  );
}

/** An open dialog contains its own. */
function SignInAgainHere() {
  return useNoneIsOpen() && <SignInAgain />;
}

/** Loaded when it is opened. */
function PaletteHere() {
  return (
    useShown() !== undefined && (
      <Suspense>
        <Palette />
      </Suspense>
    )
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { follow } from './api/live';
import { useSession } from './api/session';
import { Button } from './parts/button';
import { ErrorBoundary } from './parts/error-boundary';
import { Frame } from './parts/frame';
import { show, useShown } from './parts/keys';
import { useNoneIsOpen } from './parts/modals';
import { SecretDialog } from './parts/secret-dialog';
import { SignInAgain } from './parts/sign-in-again';
import { ErrorNote, Loading, NotFound } from './parts/states';
import { showErrorToast } from './parts/toasts';
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
  const [location] = useLocation();
  useEffect(() => follow(client), [client]);
  useEffect(() => {
    // If one fails, the person who opens it sees an error there.
    const load = () => void Promise.all([loadApp(), loadPalette()]).catch(() => undefined);
    const soon = setTimeout(load, PRELOAD_MS);
    return () => clearTimeout(soon);
  }, []);
  return (
    <Frame>
      <SignInAgainHere />
      <PaletteHere />
      <ErrorBoundary at={location} fallback={<NotLoaded />}>
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
      </ErrorBoundary>
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
      <ErrorBoundary at="" fallback={<PaletteNotLoaded />}>
        <Suspense>
          <Palette />
        </Suspense>
      </ErrorBoundary>
    )
  );
}

function NotLoaded() {
  return (
    <div className="note danger" role="alert">
      <p>{texts.notLoaded}</p>
      <Button onClick={() => location.reload()}>{texts.reload}</Button>
    </div>
  );
}

function PaletteNotLoaded() {
  useEffect(() => {
    showErrorToast(texts.paletteNotLoaded);
    show(undefined);
  }, []);
  return null;
}

// What a page may try against another origin. Each probe gives what it could read of the answer, or an empty text.
// Runs inside the page: (target, job) => [[name, read], ...], where the job says what there is to ask for.
async (target, job) => {
  const within = (ms, work) =>
    Promise.race([work().catch(() => ""), new Promise((done) => setTimeout(() => done(""), ms))]);
  const text = async (response) =>
    response.type === "opaque" || response.type === "opaqueredirect" ? "" : `${response.status} ${await response.text()}`;
  const probes = [];
  const add = (name, work) => probes.push([name, work]);
  const element = (tag, attributes) => () =>
    new Promise((done) => {
      const made = Object.assign(document.createElement(tag), attributes);
      for (const key of ["as", "rel", "crossOrigin", "data", "type"]) if (attributes[key]) made.setAttribute(key, attributes[key]);
      made.onload = () => {
        let read = "loaded";
        // A frame loads whatever came; only what can be looked into was read.
        if (["iframe", "object", "embed"].includes(tag)) {
          try { read = made.contentDocument?.body?.innerText ?? ""; } catch { read = ""; }
        }
        if (tag === "link" && attributes.rel !== "stylesheet") read = "";
        done(read);
      };
      made.onerror = () => done("");
      document.body.append(made);
    });

  for (const path of job.reads) {
    const url = target + path;
    for (const mode of ["cors", "no-cors"]) {
      for (const credentials of ["include", "omit"]) {
        add(`fetch ${mode} ${credentials} ${path}`, async () => text(await fetch(url, { mode, credentials })));
      }
    }
    add(`fetch with headers ${path}`, async () =>
      text(await fetch(url, { credentials: "include", headers: { "iris-csrf": "guess", authorization: "Bearer guess" } })));
    add(`xhr ${path}`, () => new Promise((done) => {
      const request = new XMLHttpRequest();
      request.open("GET", url);
      request.withCredentials = true;
      request.onload = () => done(`${request.status} ${request.responseText}`);
      request.onerror = () => done("");
      request.send();
    }));
    add(`img ${path}`, element("img", { src: url }));
    add(`script ${path}`, element("script", { src: url }));
    add(`iframe ${path}`, element("iframe", { src: url }));
  }
  const one = target + job.reads[0];
  add("module", async () => Object.keys(await import(one)).join() || "imported");
  add("module script", element("script", { src: one, type: "module" }));
  add("stylesheet", element("link", { rel: "stylesheet", href: one }));
  add("prefetch", element("link", { rel: "prefetch", href: one }));
  add("preload", element("link", { rel: "preload", href: one, as: "fetch", crossOrigin: "use-credentials" }));
  add("modulepreload", element("link", { rel: "modulepreload", href: one }));
  add("manifest", element("link", { rel: "manifest", href: one, crossOrigin: "use-credentials" }));
  add("object", element("object", { data: one, type: "text/html" }));
  add("embed", element("embed", { src: one, type: "text/html" }));
  add("video", () => new Promise((done) => {
    const video = Object.assign(document.createElement("video"), { src: one, onloadeddata: () => done("played"), onerror: () => done("") });
    document.body.append(video);
  }));
  add("worker", () => new Promise((done) => {
    const code = URL.createObjectURL(new Blob([`try { importScripts(${JSON.stringify(one)}); postMessage("ran") } catch { postMessage("") }`]));
    const worker = new Worker(code);
    worker.onmessage = (said) => done(said.data);
    worker.onerror = () => done("");
  }));
  add("service worker", async () => { await navigator.serviceWorker.register(one); return "registered"; });
  add("shared worker", () => new Promise((done) => {
    const worker = new SharedWorker(one);
    worker.onerror = () => done("");
    worker.port.onmessage = () => done("spoke");
  }));
  add("canvas", () => new Promise((done) => {
    const image = new Image();
    image.crossOrigin = "use-credentials";
    image.onload = () => done("drawn");
    image.onerror = () => done("");
    image.src = one;
  }));
  add("event source", () => new Promise((done) => {
    const source = new EventSource(`${target}/api/events?after=0`, { withCredentials: true });
    source.onopen = () => done("open");
    source.addEventListener("event", (event) => done(event.data));
    source.onerror = () => { source.close(); done(""); };
  }));
  for (const protocols of [[], ["iris"], ["iris", "guess"]]) {
    add(`socket ${protocols}`, () => new Promise((done) => {
      const socket = new WebSocket(`${target.replace("http", "ws")}/api/stream?after=0`, protocols);
      socket.onopen = () => done("open");
      socket.onmessage = (said) => done(String(said.data));
      socket.onclose = () => done("");
    }));
  }
  add("window", async () => {
    const other = window.open(one);
    if (!other) return "";
    await new Promise((done) => setTimeout(done, 500));
    try { return other.document.body.innerText; } catch { return ""; } finally { other.close(); }
  });
  add("redirect to it", async () => text(await fetch(`/redirect?to=${encodeURIComponent(one)}`, { credentials: "include" })));
  add("user in the address", async () => text(await fetch(one.replace("://", "://iris:iris@"), { credentials: "include" })));

  for (const { path, body } of job.writes) {
    const url = target + path;
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"]) {
      const headers = { "content-type": type };
      for (const mode of ["cors", "no-cors"]) {
        add(`post ${mode} ${type} ${path}`, async () =>
          text(await fetch(url, { method: "POST", mode, credentials: "include", headers, body })));
      }
      add(`beacon ${type} ${path}`, async () => { navigator.sendBeacon(url, new Blob([body], { type })); return ""; });
    }
    add(`post with a guess ${path}`, async () => text(await fetch(url, {
      method: "POST", credentials: "include", headers: { "content-type": "application/json", "iris-csrf": "guess" }, body,
    })));
    add(`post kept alive ${path}`, async () => text(await fetch(url, { method: "POST", mode: "no-cors", credentials: "include", keepalive: true, body })));
    add(`post by redirect ${path}`, async () =>
      text(await fetch(`/redirect?to=${encodeURIComponent(url)}`, { method: "POST", mode: "no-cors", credentials: "include", body })));
    for (const method of ["DELETE", "PUT", "PATCH"]) {
      add(`${method} ${path}`, async () => text(await fetch(url, { method, credentials: "include" })));
    }
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      add(`form ${enctype} ${path}`, () => new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.name = `f${Math.random()}`;
        document.body.append(frame);
        const form = Object.assign(document.createElement("form"), { method: "POST", action: url, target: frame.name, enctype });
        // As plain text, the field's name and value make up the JSON: {"a":"=","toTeam":…}
        const field = Object.assign(document.createElement("input"), { name: `${body.slice(0, -1)},"x":"`, value: '"}' });
        form.append(field);
        document.body.append(form);
        frame.onload = () => { try { done(frame.contentDocument.body.innerText); } catch { done(""); } };
        form.submit();
      }));
    }
    add(`get with effects ${path}`, async () => text(await fetch(`${url}?_method=POST`, { credentials: "include" })));
    add(`ping ${path}`, async () => {
      const link = Object.assign(document.createElement("a"), { href: "javascript:void 0", ping: url });
      document.body.append(link);
      link.click();
      return "";
    });
  }
  const results = [];
  for (let at = 0; at < probes.length; at += 24) {
    const some = probes.slice(at, at + 24);
    results.push(...await Promise.all(some.map(async ([name, work]) => [name, await within(3000, work)])));
  }
  return results;
}

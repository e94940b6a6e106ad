// SPDX-License-Identifier: MIT
// The picture in a browser: plain HTTP on the loopback, one page, pictures as a multipart stream of PNG, keys and mouse
// back by POST. The address holds a random token, Host is checked (a page elsewhere cannot reach it by a name of its
// own), sizes are limited, no file is served. One thread: a client that is slow misses pictures and holds up nobody.
#include "view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MOST = 16, HEAD_MOST = 8192, BODY_MOST = 256, TOKEN = 32, IDLE_MOST = 20 };

typedef struct client {
    int    socket; // -1: free
    char   in[HEAD_MOST + BODY_MOST + 1];
    size_t in_count;
    char*  out; // what is left to be sent
    size_t out_at, out_count;
    bool   is_stream, is_closing;
    double since; // of its last sign of life
} client;

typedef struct server {
    view*    view;
    int      listener, port, width, height;
    char     host[64], token[TOKEN + 1];
    client   clients[CLIENTS_MOST];
    uint8_t* pixels;
    void*    png; // of the last picture
    size_t   png_size;
    bool     is_stale;
} server;

static const char page[] =
    "<!doctype html><meta charset=utf-8><title>shoal</title>\n"
    "<style>body{margin:0;background:#15181d}img{display:block;margin:auto;max-width:100vw;max-height:100vh;"
    "touch-action:none;user-select:none}</style>\n"
    "<img id=i src=stream draggable=false>\n"
    "<script>\n"
    "const i=document.getElementById('i');let busy=false,next=null;\n"
    "async function send(to,body){await fetch(to,{method:'POST',body})}\n"
    "async function later(body){next=body;if(busy)return;busy=true;\n"
    "  while(next){const b=next;next=null;try{await send('mouse',b)}catch(e){}}busy=false}\n"
    "function at(e,kind,button){const r=i.getBoundingClientRect();\n"
    "  const x=(e.clientX-r.left)*i.naturalWidth/r.width,y=(e.clientY-r.top)*i.naturalHeight/r.height;\n"
    "  return `${kind} ${button} ${+e.shiftKey} ${+e.ctrlKey} ${+e.altKey} ${x.toFixed(1)} ${y.toFixed(1)}`}\n"
    "i.onpointerdown=e=>{i.setPointerCapture(e.pointerId);send('mouse',at(e,'press',e.button+1));e.preventDefault()};\n"
    "i.onpointerup=e=>send('mouse',at(e,'release',e.button+1));\n"
    "i.onpointermove=e=>{if(e.buttons)later(at(e,'move',0))};\n"
    "i.onwheel=e=>{send('mouse',at(e,'wheel',e.deltaY<0?1:-1));e.preventDefault()};\n"
    "i.oncontextmenu=e=>e.preventDefault();\n"
    "const names={' "
    "':'space',ArrowLeft:'left',ArrowRight:'right',ArrowUp:'up',ArrowDown:'down',Home:'home',End:'end'};\n"
    "onkeydown=e=>{const k=names[e.key]||(e.key.length==1?e.key:'');if(k&&!e.metaKey&&!e.ctrlKey){send('key',k);"
    "e.preventDefault()}};\n"
    "</script>\n";

// --- clients

static void drop(client* c) {
    if (c->socket >= 0) close(c->socket);
    free(c->out);
    *c = (client){.socket = -1};
}

static void queue(client* c, const char* head, const void* body, size_t size, const char* tail) {
    size_t length = strlen(head), rest = strlen(tail);
    char*  out = malloc(length + size + rest + 1);
    if (!out) {
        c->is_closing = true;
        return;
    }
    memcpy(out, head, length);
    if (size > 0) memcpy(out + length, body, size);
    memcpy(out + length + size, tail, rest + 1);
    free(c->out);
    c->out       = out;
    c->out_at    = 0;
    c->out_count = length + size + rest;
    c->since     = cli_seconds();
}

static void answer(client* c, const char* status, const char* type, const void* body, size_t size) {
    char head[512];
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
             "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
             status, type, size);
    queue(c, head, body, size, "");
    c->is_closing = true;
}

static void refuse(client* c, const char* status) { answer(c, status, "text/plain", status, strlen(status)); }

static void send_more(client* c) {
    while (c->out_at < c->out_count) {
        ssize_t sent = send(c->socket, c->out + c->out_at, c->out_count - c->out_at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (sent <= 0) {
            drop(c);
            return;
        }
        c->out_at += (size_t)sent;
        c->since = cli_seconds();
    }
    if (c->is_closing) drop(c);
}

// The boundary behind a picture ends it: a browser would wait for it, to show the last one before a pause.
static void send_picture(server* s, client* c) {
    char head[160];
    if (c->out_at < c->out_count) { // it has not got the last one yet
        s->is_stale = true;
        return;
    }
    snprintf(head, sizeof head, "Content-Type: image/png\r\nContent-Length: %zu\r\n\r\n", s->png_size);
    queue(c, head, s->png, s->png_size, "\r\n--picture\r\n");
}

// --- requests

// The value of a line of the head, to its end; NULL: there is none.
static const char* header(const char* head, const char* name) {
    size_t length = strlen(name);
    for (const char* at = strstr(head, "\r\n"); at && at[2] != '\r'; at = strstr(at + 2, "\r\n"))
        if (strncasecmp(at + 2, name, length) == 0 && at[2 + length] == ':') {
            at += 3 + length;
            return at + strspn(at, " \t");
        }
    return NULL;
}

// Addresses alone, and localhost: a name of somebody else's that leads here is refused.
static bool host_is_ours(const server* s, const client* c) {
    char               wanted[4][96], here[INET_ADDRSTRLEN] = "";
    const char*        host   = header(c->in, "Host");
    size_t             length = host ? strcspn(host, "\r\n") : 0;
    struct sockaddr_in own;
    socklen_t          size = sizeof own;
    if (getsockname(c->socket, (struct sockaddr*)&own, &size) == 0)
        inet_ntop(AF_INET, &own.sin_addr, here, sizeof here);
    snprintf(wanted[0], sizeof wanted[0], "%s:%d", s->host, s->port);
    snprintf(wanted[1], sizeof wanted[1], "localhost:%d", s->port);
    snprintf(wanted[2], sizeof wanted[2], "127.0.0.1:%d", s->port);
    snprintf(wanted[3], sizeof wanted[3], "%s:%d", here, s->port);
    for (int k = 0; k < 4 && host; k++)
        if (strlen(wanted[k]) == length && strncmp(host, wanted[k], length) == 0) return true;
    return false;
}

static bool draw(server* s) {
    if (view_draw(s->view, s->width, s->height, s->pixels) != SHOAL_OK) return false;
    if (s->png) shoal_bytes_free(s->png, s->png_size);
    s->png = NULL;
    return shoal_screen_png(s->pixels, s->width, s->height, &s->png, &s->png_size) == SHOAL_OK;
}

static bool take_mouse(server* s, const char* body) {
    static const char* const kinds[] = {"press", "move", "release", "wheel", NULL};
    char                     kind[16];
    int                      shift, ctrl, alt, which = 0;
    view_mouse               m = {.width = s->width, .height = s->height};
    if (sscanf(body, "%15s %d %d %d %d %lf %lf", kind, &m.button, &shift, &ctrl, &alt, &m.x, &m.y) != 7) return false;
    while (kinds[which] && strcmp(kinds[which], kind) != 0) which++;
    if (!kinds[which] || m.button < -20 || m.button > 20 || !(m.x >= -1e5 && m.x <= 1e5 && m.y >= -1e5 && m.y <= 1e5))
        return false;
    if (!s->png && !draw(s)) return false; // what it points at is that of a picture
    m.kind       = (view_mouse_kind)which;
    m.with_shift = shift, m.with_ctrl = ctrl, m.with_alt = alt;
    view_point(s->view, &m);
    return true;
}

static void get(server* s, client* c, const char* what) {
    if (*what == 0) {
        answer(c, "200 OK", "text/html; charset=utf-8", page, sizeof page - 1);
    } else if (strcmp(what, "stream") == 0) {
        queue(c,
              "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=picture\r\n"
              "Cache-Control: no-store\r\nConnection: close\r\n\r\n--picture\r\n",
              NULL, 0, "");
        c->is_stream = true;
        s->is_stale  = true;
    } else if (strcmp(what, "picture") == 0) {
        if (draw(s))
            answer(c, "200 OK", "image/png", s->png, s->png_size);
        else
            refuse(c, "500 Internal Server Error");
    } else {
        refuse(c, "404 Not Found");
    }
}

static void post(server* s, client* c, const char* what, const char* body) {
    bool is_good =
        strcmp(what, "key") == 0 ? view_key(s->view, body) : strcmp(what, "mouse") == 0 && take_mouse(s, body);
    s->is_stale = true;
    if (is_good)
        answer(c, "204 No Content", "text/plain", "", 0);
    else
        refuse(c, "400 Bad Request");
}

// A whole request lies in c->in; `body` behind its head.
static void take_request(server* s, client* c, const char* body) {
    char method[8], path[128];
    if (sscanf(c->in, "%7s %127s HTTP/1.", method, path) != 2) {
        refuse(c, "400 Bad Request");
        return;
    }
    bool is_ours   = host_is_ours(s, c),
         has_token = path[0] == '/' && strncmp(path + 1, s->token, TOKEN) == 0 && path[1 + TOKEN] == '/';
    if (!is_ours || !has_token)
        refuse(c, is_ours ? "404 Not Found" : "403 Forbidden");
    else if (strcmp(method, "GET") == 0)
        get(s, c, path + TOKEN + 2);
    else if (strcmp(method, "POST") == 0)
        post(s, c, path + TOKEN + 2, body);
    else
        refuse(c, "405 Method Not Allowed");
}

static void read_more(server* s, client* c) {
    ssize_t got = recv(c->socket, c->in + c->in_count, sizeof c->in - 1 - c->in_count, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0 || c->is_stream || c->is_closing) {
        if (got <= 0) drop(c);
        return; // nobody has more to say than one request
    }
    c->in_count += (size_t)got;
    c->in[c->in_count] = 0;
    char* end          = strstr(c->in, "\r\n\r\n");
    if (!end) {
        if (c->in_count >= HEAD_MOST) refuse(c, "431 Request Header Fields Too Large");
        return;
    }
    const char* length = header(c->in, "Content-Length");
    long        wanted = length ? strtol(length, NULL, 10) : 0;
    if (wanted < 0 || wanted > BODY_MOST) {
        refuse(c, "413 Content Too Large");
        return;
    }
    size_t have = c->in_count - (size_t)(end + 4 - c->in);
    if (have < (size_t)wanted) return;
    end[4 + wanted] = 0;
    take_request(s, c, end + 4);
}

// --- serving

static void welcome(server* s) {
    int socket = accept(s->listener, NULL, NULL), one = 1;
    if (socket < 0) return;
    fcntl(socket, F_SETFL, O_NONBLOCK);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    for (int k = 0; k < CLIENTS_MOST; k++)
        if (s->clients[k].socket < 0) {
            s->clients[k].socket = socket;
            s->clients[k].since  = cli_seconds();
            return;
        }
    close(socket); // there are enough
}

static bool begin(server* s, const view_serving* how) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)how->port)};
    socklen_t          size    = sizeof address;
    uint8_t            random[TOKEN / 2];
    int                one = 1;
    snprintf(s->host, sizeof s->host, "%s", how->host ? how->host : "127.0.0.1");
    if (inet_pton(AF_INET, s->host, &address.sin_addr) != 1) {
        fprintf(stderr, "shoal view: --host %.60s: give an address such as 127.0.0.1 or 0.0.0.0\n", s->host);
        return false;
    }
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (s->listener >= 0) setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr*)&address, sizeof address) != 0 ||
        listen(s->listener, 8) != 0 || getsockname(s->listener, (struct sockaddr*)&address, &size) != 0 ||
        getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        fprintf(stderr, "shoal view: port %d of %s cannot be served: %s\n", how->port, s->host, strerror(errno));
        return false;
    }
    s->port = ntohs(address.sin_port);
    for (int k = 0; k < TOKEN / 2; k++) snprintf(s->token + 2 * k, 3, "%02x", random[k]);
    printf("http://%s:%d/%s/\n", s->host, s->port, s->token);
    fflush(stdout);
    return true;
}

static void talk(server* s, int timeout_ms) {
    struct pollfd polls[CLIENTS_MOST + 1] = {{s->listener, POLLIN, 0}};
    for (int k = 0; k < CLIENTS_MOST; k++) {
        client* c    = &s->clients[k];
        polls[k + 1] = (struct pollfd){c->socket, (short)(POLLIN | (c->out_at < c->out_count ? POLLOUT : 0)), 0};
    }
    if (poll(polls, CLIENTS_MOST + 1, timeout_ms) <= 0) return;
    for (int k = 0; k < CLIENTS_MOST; k++) {
        client* c = &s->clients[k];
        if (c->socket >= 0 && (polls[k + 1].revents & (POLLIN | POLLHUP | POLLERR))) read_more(s, c);
        if (c->socket >= 0 && c->out_at < c->out_count) send_more(c);
    }
    if (polls[0].revents & POLLIN) welcome(s);
}

static int serve(server* s) {
    double last = cli_seconds();
    while (!view_is_over(s->view) && !cli_should_stop(NULL)) {
        bool was_still = view_is_still(s->view), is_watched = false;
        for (int k = 0; k < CLIENTS_MOST; k++) is_watched |= s->clients[k].socket >= 0 && s->clients[k].is_stream;
        talk(s, was_still && !s->is_stale ? 100 : is_watched ? 1 : 10);
        double       now    = cli_seconds();
        shoal_status status = view_tick(s->view, now - last);
        last                = now;
        if (status != SHOAL_OK) return cli_fail(status);
        for (int k = 0; k < CLIENTS_MOST; k++) { // who says nothing leaves its place to others
            client* c     = &s->clients[k];
            bool    waits = !c->is_stream || c->out_at < c->out_count;
            if (c->socket >= 0 && waits && now - c->since > IDLE_MOST) drop(c);
        }
        if (!is_watched || (was_still && !s->is_stale)) continue;
        if (!draw(s)) return cli_fail(SHOAL_ERR_MEMORY);
        s->is_stale = false;
        for (int k = 0; k < CLIENTS_MOST; k++)
            if (s->clients[k].socket >= 0 && s->clients[k].is_stream) {
                send_picture(s, &s->clients[k]);
                send_more(&s->clients[k]);
            }
    }
    return CLI_DONE;
}

int view_serve(view* v, const view_serving* how) {
    server* s = calloc(1, sizeof *s);
    if (!s) return CLI_INTERNAL;
    *s = (server){.view = v, .listener = -1, .width = how->width, .height = how->height, .is_stale = true};
    for (int k = 0; k < CLIENTS_MOST; k++) s->clients[k].socket = -1;
    s->pixels = malloc((size_t)how->width * (size_t)how->height * 3);
    int code  = s->pixels ? (begin(s, how) ? serve(s) : CLI_WRONG) : CLI_INTERNAL;
    for (int k = 0; k < CLIENTS_MOST; k++) drop(&s->clients[k]);
    if (s->listener >= 0) close(s->listener);
    if (s->png) shoal_bytes_free(s->png, s->png_size);
    free(s->pixels);
    free(s);
    return code;
}

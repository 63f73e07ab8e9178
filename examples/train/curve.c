/* SPDX-License-Identifier: MIT */
/* An SVG is text: lines, polylines and words at computed places. */
#include "curve.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDTH = 820,
    HEIGHT = 340,
    LEFT = 70,
    TOP = 40,
    PANEL = 325,
    GAP = 70,
    DEEP = 240
};
enum { LEGEND = 18 };

static const char *const colours[2] = {"#c2185b", "#1565c0"};

/* Where a panel stands, and the decades of its y axis. */
struct axes {
    double left, last_step;
    int low, high;
};

static double at_x(const struct axes *a, double step)
{
    return a->left + step / a->last_step * PANEL;
}

/* A loss that has come down to 0 must not take the axis with it. */
static double decades_of(double loss)
{
    return log10(fmax(loss, 1e-9));
}

static double at_y(const struct axes *a, double loss)
{
    return TOP + (a->high - decades_of(loss)) / (a->high - a->low) * DEEP;
}

/* The decades that hold all losses of both panels. */
static void find_decades(const struct panel panels[2], struct axes *a)
{
    double low = INFINITY, high = 0;
    for (const struct panel *p = panels; p < panels + 2; p++)
        for (size_t l = 0; l < p->n_lines; l++)
            for (size_t i = 0; i < p->lines[l].n; i++) {
                low = fmin(low, p->lines[l].loss[i]);
                high = fmax(high, p->lines[l].loss[i]);
            }
    a->low = (int)floor(decades_of(low));
    a->high = (int)ceil(decades_of(high));
}

static void draw_y_axis(FILE *f, const struct axes *a)
{
    for (int decade = a->low; decade <= a->high; decade++) {
        const double y = at_y(a, pow(10, decade));
        fprintf(f, "<path class='grid' d='M%g %.1fh%d'/>\n", a->left, y, PANEL);
        fprintf(f, "<text x='%g' y='%.1f' class='end'>%g</text>\n", a->left - 8, y + 4,
                pow(10, decade));
    }
}

static void draw_x_axis(FILE *f, const struct axes *a, double tick)
{
    const int bottom = TOP + DEEP;
    fprintf(f, "<path class='axis' d='M%g %dv%dh%d'/>\n", a->left, TOP, DEEP, PANEL);
    for (double step = 0; step <= a->last_step; step += tick) {
        fprintf(f, "<path class='axis' d='M%.1f %dv5'/>\n", at_x(a, step), bottom);
        fprintf(f, "<text x='%.1f' y='%d' class='mid'>%g</text>\n", at_x(a, step),
                bottom + 20, step);
    }
    fprintf(f, "<text x='%g' y='%d' class='mid'>step</text>\n", a->left + PANEL / 2,
            bottom + 42);
}

static void draw_line(FILE *f, const struct axes *a, const struct line *line,
                      const char *colour)
{
    fprintf(f, "<polyline stroke='%s' class='%s' points='", colour,
            line->bold ? "bold" : "thin");
    for (size_t i = 0; i < line->n; i++)
        fprintf(f, "%.1f,%.1f ", at_x(a, line->first + (double)i * line->every),
                at_y(a, line->loss[i]));
    fprintf(f, "'/>\n");
}

/* In the upper right, which falling curves leave free. */
static void draw_label(FILE *f, const struct axes *a, const struct line *line,
                       int place, const char *colour)
{
    const double right = a->left + PANEL - 4, y = TOP + 14 + LEGEND * place;
    fprintf(f, "<path stroke='%s' class='%s' d='M%g %gh26'/>\n", colour,
            line->bold ? "bold" : "thin", right - 26, y - 4);
    fprintf(f, "<text x='%g' y='%g' class='end'>%s</text>\n", right - 34, y,
            line->label);
}

static void draw_panel(FILE *f, const struct axes *a, const struct panel *p,
                       const char *colour)
{
    int labels = 0;
    fprintf(f, "<text x='%g' y='%d' class='title'>%s</text>\n", a->left, TOP - 16,
            p->title);
    draw_y_axis(f, a);
    draw_x_axis(f, a, p->tick);
    for (size_t i = 0; i < p->n_lines; i++) {
        draw_line(f, a, &p->lines[i], colour);
        if (p->lines[i].label)
            draw_label(f, a, &p->lines[i], labels++, colour);
    }
}

static void draw_frame(FILE *f)
{
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' "
            "height='%d' font-family='sans-serif' font-size='13' fill='#333'>\n"
            "<style>.end{text-anchor:end}.mid{text-anchor:middle}"
            ".title{font-weight:bold}.grid{stroke:#ddd}.axis{stroke:#555;fill:none}"
            ".thin{fill:none;opacity:.35}.bold{fill:none;stroke-width:2.5}</style>\n"
            "<rect width='%d' height='%d' fill='#fff'/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(f,
            "<text transform='translate(18 %d) rotate(-90)' class='mid'>"
            "mean cross-entropy</text>\n",
            TOP + DEEP / 2);
}

bool write_curves(const char *path, const struct panel panels[2])
{
    FILE *f = fopen(path, "w");
    struct axes a;
    if (!f)
        return false;
    find_decades(panels, &a);
    draw_frame(f);
    for (int i = 0; i < 2; i++) {
        a.left = LEFT + i * (PANEL + GAP);
        a.last_step = panels[i].last_step;
        draw_panel(f, &a, &panels[i], colours[i]);
    }
    fprintf(f, "</svg>\n");
    const bool good = !ferror(f);
    return fclose(f) == 0 && good;
}
